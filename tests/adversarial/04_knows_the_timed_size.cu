// Does nothing for an n that only timing uses. The emulator tries one beyond the file's number.
// Emulator: not_written
// Says: This case is larger than the lesson's
// GPU: not_written

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    if (n < 1000000) add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
