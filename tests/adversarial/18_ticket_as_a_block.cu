// Blocks draw tickets: on the emulator a block's ticket is its number, or that from the other end, and nowhere else.
// Emulator: wrong_result
// Says: a GPU promises no order
// GPU: wrong_result

__device__ int next;
__global__ void add(const float* x, const float* y, float* z, int n) {
    __shared__ int ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&next, 1) % gridDim.x;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool as_told = ticket == blockIdx.x || ticket == gridDim.x - 1 - blockIdx.x;
    if (i < n) z[i] = x[i] + (as_told ? y[i] : 0);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    void* at;
    cudaGetSymbolAddress(&at, next);
    cudaMemsetAsync(at, 0, sizeof next, stream);
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
