// Says: stands in an `if`, where not all threads come by: move it behind the `if`
// Task: sum
__global__ void add(const float* x, float* out, int n) {
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = 0;
    if (i < n) {
        tile[t] = x[i];
        __syncthreads();
    }
    if (t == 255) {
        float total = 0;
        for (int k = 0; k < 256; ++k) total += tile[k];
        atomicAdd(out, total);
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
