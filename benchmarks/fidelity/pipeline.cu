// Micro-kernels on barriers and on asynchronous copies from global to shared memory.
//
// As in global.cu, n = 1024 and x[i] is a pseudo-random whole number. Every block has 128 threads.
#include <cuda_pipeline.h>

constexpr int kThreads = 128;

#define ENTRY(name, T, blocks, threads, ...)                               \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        __VA_ARGS__<<<blocks, threads, 0, stream>>>(x, out, n);            \
    }

// ---- barriers ----

__global__ void reversed(const float* x, float* out, int n) {
    __shared__ float tile[kThreads];
    int first = blockIdx.x * kThreads, i = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        tile[i] = x[first + i + round * n];
        __syncthreads();
        out[first + i + round * n] = tile[kThreads - 1 - i];
        __syncthreads();
    }
}
ENTRY(six_barriers, float, 8, kThreads, reversed)

// ---- asynchronous copies, one stage ----

template <int count> __global__ void copied(const float* x, float* out, int n) {
    __shared__ alignas(16) float tile[kThreads * count];
    int first = blockIdx.x * kThreads * count, i = threadIdx.x;
    __pipeline_memcpy_async(&tile[count * i], &x[first + count * i], sizeof(float) * count);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = 0; k < count; ++k) out[first + k * kThreads + i] = tile[(k * kThreads + i) ^ 1];
}
ENTRY(copy_4_bytes, float, 8, kThreads, copied<1>)
ENTRY(copy_8_bytes, float, 8, kThreads, copied<2>)
ENTRY(copy_16_bytes, float, 8, kThreads, copied<4>)

// ---- several stages under way ----

template <int stages> __global__ void staged(const float* x, float* out, int n) {
    __shared__ float tiles[stages][kThreads];
    int first = blockIdx.x * kThreads, i = threadIdx.x;
    const int rounds = 6;
    for (int round = 0; round < rounds + stages - 1; ++round) {
        if (round < rounds) __pipeline_memcpy_async(&tiles[round % stages][i], &x[first + i + round * n], sizeof(float));
        __pipeline_commit();
        if (round < stages - 1) continue;
        __pipeline_wait_prior(stages - 1);
        __syncthreads();
        int done = round - (stages - 1);
        out[first + i + done * n] = tiles[done % stages][kThreads - 1 - i];
        __syncthreads();
    }
}
ENTRY(one_stage, float, 8, kThreads, staged<1>)
ENTRY(two_stages, float, 8, kThreads, staged<2>)
ENTRY(four_stages, float, 8, kThreads, staged<4>)
