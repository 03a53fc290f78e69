// Says: the grid has 0 blocks in x; whole-number division rounds down, so round up: (n - 1) / threads + 1
// Says: for its grid is empty
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<n / 256, 256, 0, stream>>>(x, y, z, n);
}
