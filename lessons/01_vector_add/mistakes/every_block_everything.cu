// Every block computes the whole vector: right, but each byte is moved once for every block.
// Expect: passed, 1 star

__global__ void add(const float* x, const float* y, float* z, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<4, 256, 0, stream>>>(x, y, z, n);
}
