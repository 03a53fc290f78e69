// Warps draw tickets in shared memory: on the emulator a warp's ticket is its number. On a GPU the fastest has the first.
// Emulator: wrong_result
// Says: a GPU promises no order
// GPU: wrong_result or passed

__global__ void add(const float* x, const float* y, float* z, int n) {
    __shared__ int drawn;
    if (threadIdx.x == 0) drawn = 0;
    __syncthreads();
    int ticket = threadIdx.x % 32 == 0 ? atomicAdd(&drawn, 1) : 0;
    ticket = __shfl_sync(~0u, ticket, 0);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + (ticket == threadIdx.x / 32 ? y[i] : 0);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
