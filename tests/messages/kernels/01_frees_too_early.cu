// Says: writes the memory from the cudaMalloc in line 10 after it was freed
// Says: free an array behind the last launch that uses it
__global__ void add(const float* x, const float* y, float* z, float* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sums[i] = x[i] + y[i];
    if (i < n) z[i] = sums[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    float* sums;
    cudaMalloc(&sums, n * sizeof(float));
    cudaFree(sums);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, sums, n);
}
