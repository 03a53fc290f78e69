// A tree that is done is followed by its own last steps.
// Task: sum
// Says: the first 64 places are added up behind it once more

__global__ void sum_kernel(const float* x, float* out, int n) {
    extern __shared__ float cache[];
    int tid = threadIdx.x;
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x) s += x[i];
    cache[tid] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (tid < k) cache[tid] += cache[tid + k];
        __syncthreads();
    }
    if (tid < 32) {
        float v = cache[tid] + cache[tid + 32];
        for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
        if (tid == 0) atomicAdd(out, v);
    }
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    int blocks = (n + 255) / 256;
    if (blocks > 120) blocks = 120;
    sum_kernel<<<blocks, 256, 256 * sizeof(float), stream>>>(x, out, n);
}
