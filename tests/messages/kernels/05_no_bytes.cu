// Says: tile, which has 0 bytes: an `extern __shared__` array is as large as the launch says
// Task: sum
__global__ void add(const float* x, float* out, int n) {
    extern __shared__ float tile[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) tile[t] += tile[t + s];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, tile[0]);
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
