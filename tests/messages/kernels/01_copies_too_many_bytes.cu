// Says: a copy or memset of 8 bytes leaves x, which has 4 bytes
// Says: cudaMemcpy and cudaMemset count bytes, not elements
__global__ void add(const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] += y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaMemcpyAsync(z, x, n * sizeof(double), cudaMemcpyDeviceToDevice, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(y, z, n);
}
