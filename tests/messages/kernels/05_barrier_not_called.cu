// Says: names __syncthreads, but does not call it: write `__syncthreads();`
// Task: sum
__global__ void add(const float* x, float* out, int n) {
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? x[i] : 0;
    __syncthreads;
    if (t == 0) {
        float total = 0;
        for (int k = 0; k < 256; ++k) total += tile[k];
        atomicAdd(out, total);
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
