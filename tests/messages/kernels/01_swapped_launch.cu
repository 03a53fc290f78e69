// Says: the launch of add fails: the block has 1048576 threads in x, at most 1024 are allowed; are blocks and threads swapped? It is kernel<<<blocks, threads>>>
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int threads = 256, blocks = (n + threads - 1) / threads;
    add<<<threads, blocks, 0, stream>>>(x, y, z, n);
}
