// A block of 32 x 32, and threadIdx.x alone.
// Says: is threadIdx.y missing from the index, or is the block of 32 x 32 x 1 threads meant to have one dimension?

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    dim3 threads(32, 32);
    int blocks = (n + 1023) / 1024;
    add<<<blocks, threads, 0, stream>>>(x, y, z, n);
}
