// Says: reads x[0], across its end (8 bytes at once)
// Says: each element has 8 bytes, and those of the array have fewer

__global__ void add(const double* x, const double* y, double* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>((const double*)x, (const double*)y, (double*)z, n);
}
