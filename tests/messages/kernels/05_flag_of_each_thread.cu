// Whether this is the last block, only thread 0 knows.
// Task: sum
// Says: declare it `__shared__ bool last;`, and let a __syncthreads() stand between

__device__ unsigned arrived = 0;
__global__ void sum_kernel(const float* x, float* out, float* part, int n) {
    __shared__ float cache[256];
    bool last = false;
    float s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) s += x[i];
    cache[threadIdx.x] = s;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (threadIdx.x < k) cache[threadIdx.x] += cache[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = cache[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        cache[threadIdx.x] = threadIdx.x < gridDim.x ? ((volatile float*)part)[threadIdx.x] : 0.f;
        __syncthreads();
        for (int k = 128; k > 0; k /= 2) {
            if (threadIdx.x < k) cache[threadIdx.x] += cache[threadIdx.x + k];
            __syncthreads();
        }
        if (threadIdx.x == 0) *out = cache[0];
    }
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    int blocks = (n + 1023) / 1024;
    if (blocks > 256) blocks = 256;
    float* part;
    cudaMallocAsync(&part, blocks * sizeof(float), stream);
    sum_kernel<<<blocks, 256, 0, stream>>>(x, out, part, n);
    cudaFreeAsync(part, stream);
}
