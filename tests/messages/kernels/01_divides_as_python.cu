// Says: this <<< is never closed: `//` begins a comment, and a division is `/`, as in `add<<<n / 256 + 1, 256, 0, stream>>>`
// GPU: build_error
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<n // 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
