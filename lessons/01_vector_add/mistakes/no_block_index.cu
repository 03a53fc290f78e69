// blockIdx is forgotten: all blocks compute the same first 256 elements.
// Expect: not_written

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = threadIdx.x;
    if (i < n) {
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
