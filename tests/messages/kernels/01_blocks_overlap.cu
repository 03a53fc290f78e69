// A block of two elements a thread begins where one of one would.
// Says: begins 256 behind the one before: let it begin at `blockIdx.x * blockDim.x * 2 + threadIdx.x`

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
    if (i + blockDim.x < n) z[i + blockDim.x] = x[i + blockDim.x] + y[i + blockDim.x];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    const int block = 256;
    int grid = (n + 2 * block - 1) / (2 * block);
    add<<<grid, block, 0, stream>>>(x, y, z, n);
}
