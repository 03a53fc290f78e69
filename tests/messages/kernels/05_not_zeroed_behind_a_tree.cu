// Task: sum
// Says: updates out[0] before anything was written there
#include <cuda/atomic>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ float warp_total(float v) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}
__global__ void add(const float* x, float* out, int n) {
    __shared__ float s[8];
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
    v = warp_total(v);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 8) {
        float w = s[threadIdx.x];
        w += __shfl_down_sync(0xff, w, 4);
        w += __shfl_down_sync(0xff, w, 2);
        w += __shfl_down_sync(0xff, w, 1);
        if (threadIdx.x == 0) {
            cuda::atomic_ref<float, cuda::thread_scope_device> total(*out);
            total.fetch_add(w, cuda::memory_order_relaxed);
        }
    }
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    add<<<min((n + 255) / 256, 128), 256, 0, stream>>>(x, out, n);
}
