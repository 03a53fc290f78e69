// Says: or is it a `char`, which is negative above 127
// Task: histogram
#define COPIES 4
#define BINS 256
__global__ void hist(const unsigned char* data, unsigned int* counts, int n) {
    __shared__ unsigned int local[COPIES][BINS];
    for (int i = threadIdx.x; i < COPIES * BINS; i += blockDim.x) (&local[0][0])[i] = 0;
    __syncthreads();
    unsigned int* mine = local[(threadIdx.x / 32) % COPIES];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) { signed char v = data[i]; atomicAdd(&mine[v], 1); };
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned int total = 0;
        for (int c = 0; c < COPIES; c++) total += local[c][b];
        if (total) atomicAdd(&counts[b], total);
    }
}
extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    cudaMemsetAsync(counts, 0, BINS * sizeof(unsigned int), stream);
    int blocks = (n + 4095) / 4096;
    hist<<<blocks < 64 ? blocks : 64, 256, 0, stream>>>(x, counts, n);
}
