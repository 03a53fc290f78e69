// The last block to draw a ticket is not the last to have added its sum.
// Task: sum
// Says: and a GPU promises no order: what an atomic returns, or leaves behind

__device__ float total = 0;
__device__ unsigned done = 0;
__global__ void sum_kernel(const float* x, float* out, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0.f;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float before = atomicAdd(&total, s[0]);
        __threadfence();
        if (atomicAdd(&done, 1) == gridDim.x - 1) {
            *out = before + s[0];
            total = 0;
            done = 0;
        }
    }
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    sum_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
