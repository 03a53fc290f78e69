// Says: before its start
// Says: or is it a `char`, which is negative above 127
// Task: histogram
__global__ void count(const unsigned char* x, unsigned int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    signed char value = x[i];
    atomicAdd(&counts[value], 1u);
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), stream);
    count<<<(n + 255) / 256, 256, 0, stream>>>(x, counts, n);
}
