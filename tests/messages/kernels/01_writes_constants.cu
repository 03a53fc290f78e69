// Says: writes factors[0], which is __constant__: a kernel only reads it
// Says: The host fills `__constant__` memory, with cudaMemcpyToSymbol.
__constant__ float factors[64];
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* own = const_cast<float*>(factors);
    if (i < n) own[i % 64] = 1;
    if (i < n) z[i] = x[i] + own[i % 64] * y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
