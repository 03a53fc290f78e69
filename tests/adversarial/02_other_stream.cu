// Works on a stream of its own, which the events on the given one do not see. All streams are waited for, so that the
// result is right, and the judge's own clock sees all of them.
// Emulator: race
// Says: nothing joins the work
// GPU: race or not_written or impossible_speed

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    static cudaStream_t own = nullptr;
    if (!own) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    add<<<(n + 255) / 256, 256, 0, own>>>(x, y, z, n);
}
