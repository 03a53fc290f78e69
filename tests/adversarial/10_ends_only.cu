// Writes the first and the last thousand elements and leaves out what lies between.
// Emulator: not_written
// Says: z[1000] was never written
// GPU: not_written

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (i < 1000 || i >= n - 1000)) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
