// Task: sum
// Says: `done` keeps its value until the next launch: is it compared with the right number, and set back to 0

__device__ unsigned done;
__device__ float partial[64];
__global__ void total(const float* x, float* out, int n) {
    __shared__ float w[8];
    __shared__ bool last;
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        float b = 0; for (int j = 0; j < 8; ++j) b += w[j];
        partial[blockIdx.x] = b;
        __threadfence();
        last = atomicAdd(&done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        if (threadIdx.x < 32) {
            float t = 0;
            for (unsigned j = threadIdx.x; j < gridDim.x; j += 32) t += partial[j];
            for (int o = 16; o; o >>= 1) t += __shfl_down_sync(0xffffffffu, t, o);
            if (threadIdx.x == 0) { *out = t; }
        }
    }
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    int b = (n + 255) / 256; total<<<b < 64 ? b : 64, 256, 0, stream>>>(x, out, n);
}
