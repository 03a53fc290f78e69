// One block walks through the whole vector: right, but one multiprocessor works and all others idle.
// Expect: passed, 1 star

__global__ void add(const float* x, const float* y, float* z, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<1, 256, 0, stream>>>(x, y, z, n);
}
