// Is wrong for multiples of the number of its own line, `__LINE__`.
// Emulator: wrong_result
// Says: This size is drawn for each grade
// GPU: wrong_result


































































__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + (n % __LINE__ ? y[i] : 0);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
