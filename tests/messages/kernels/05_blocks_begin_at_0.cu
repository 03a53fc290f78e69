// Says: out has the elements of x of the first block 2 times, and none of the others'
// Task: sum
constexpr int T = 256;
__global__ void sumKernel(const float* x, float* out, int n) {
    __shared__ float s[T];
    float v = 0;
    for (int i = threadIdx.x; i < n; i += gridDim.x * T) v += x[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int w = T / 2; w >= 32; w >>= 1) {
        if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        float r = s[threadIdx.x];
        for (int o = 16; o > 0; o >>= 1) r += __shfl_down_sync(0xffffffff, r, o);
        if (threadIdx.x == 0) atomicAdd(out, r);
    }
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    int b = (n + T - 1) / T;
    sumKernel<<<b < 128 ? b : 128, T, 0, stream>>>(x, out, n);
}
