// Says: line 6 asks `>`, where `>=` belongs.

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > n) return;
    z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<n / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
