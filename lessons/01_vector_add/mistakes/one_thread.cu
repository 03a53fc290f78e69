// The sequential loop in a single thread: right, and thousands of times slower than the GPU can be.
// Expect: passed, 1 star

__global__ void add(const float* x, const float* y, float* z, int n) {
    for (int i = 0; i < n; ++i) {
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<1, 1, 0, stream>>>(x, y, z, n);
}
