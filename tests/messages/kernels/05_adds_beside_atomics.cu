// Task: histogram
// Says: line 13 adds with an atomic, and line 11 without: write atomicAdd() in line 11, too
__global__ void count(const unsigned char* x, unsigned* counts, int n) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned char value = x[i];
        if (threadIdx.x == 0) {
            mine[value]++;
        } else {
            atomicAdd(&mine[value], 1u);
        }
    }
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), stream);
    count<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, counts, n);
}
