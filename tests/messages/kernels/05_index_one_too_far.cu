// Task: histogram
// Says: counts has 256 elements
// Says: The index `x[i] + 1` comes from the data, so no guard for `i` holds it: which values may stand there, and is it 0 to 255 for each of them?
__global__ void count(const unsigned char* x, unsigned int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[x[i] + 1], 1u);
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), stream);
    count<<<(n + 255) / 256, 256, 0, stream>>>(x, counts, n);
}
