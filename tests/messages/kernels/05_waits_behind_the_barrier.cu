// Task: sum
// Says: a __syncthreads() is missing between __pipeline_wait_prior() and line 19, for a thread waits for its own copies
#include <cuda_pipeline.h>

__global__ void add(const float* x, float* out, int n) {
    __shared__ float tile[2][128];
    auto fetch = [&](int round) {
        if (round * 128 + threadIdx.x < n)
            __pipeline_memcpy_async(&tile[round % 2][threadIdx.x], &x[round * 128 + threadIdx.x], 4);
        __pipeline_commit();
    };
    float sum = 0;
    fetch(0);
    for (int round = 0; round * 128 < n; ++round) {
        fetch(round + 1);
        __syncthreads();
        __pipeline_wait_prior(1);
        if (threadIdx.x == 0)
            for (int k = 0; k < 128 && round * 128 + k < n; ++k) sum += tile[round % 2][k];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = sum;
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) { add<<<1, 128, 0, stream>>>(x, out, n); }
