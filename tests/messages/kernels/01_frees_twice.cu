// Says: cudaFree of memory that was freed before
// Says: Each pointer from cudaMalloc is given back once
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    float* kept;
    cudaMalloc(&kept, n * sizeof(float));
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
    cudaFree(kept);
    cudaFree(kept);
}
