// Micro-kernels on libcu++'s barriers and pipelines, and on the copies that belong to them.
//
// As in global.cu, n = 1024 and x[i] is a pseudo-random whole number. Every block has 128 threads.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int kThreads = 128;
constexpr int kRounds = 6;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

#define ENTRY(name, T, blocks, threads, ...)                               \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        __VA_ARGS__<<<blocks, threads, 0, stream>>>(x, out, n);            \
    }

// ---- barriers ----

__device__ void ready(Barrier& barrier, int expected) {
    if (threadIdx.x == 0) init(&barrier, expected);
    __syncthreads();
}

__global__ void reversed(const float* x, float* out, int n) {
    __shared__ float tile[kThreads];
    __shared__ Barrier barrier;
    ready(barrier, kThreads);
    int first = blockIdx.x * kThreads, i = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        tile[i] = x[first + i + round * n];
        barrier.arrive_and_wait();
        out[first + i + round * n] = tile[kThreads - 1 - i];
        barrier.arrive_and_wait();
    }
}
ENTRY(barrier_six_times, float, 8, kThreads, reversed)

__global__ void arrived_before(const float* x, float* out, int n) {
    __shared__ float tile[kThreads];
    __shared__ Barrier barrier;
    ready(barrier, kThreads);
    int first = blockIdx.x * kThreads, i = threadIdx.x;
    tile[i] = x[first + i];
    auto token = barrier.arrive();
    float more = x[first + i + n];
    barrier.wait(std::move(token));
    out[first + i] = tile[kThreads - 1 - i] + more;
}
ENTRY(barrier_arrive_wait, float, 8, kThreads, arrived_before)

// The first warp fills, the others wait for it.
__global__ void filled_by_a_warp(const float* x, float* out, int n) {
    __shared__ float tile[kThreads];
    __shared__ Barrier barrier;
    ready(barrier, 32);
    int first = blockIdx.x * kThreads, i = threadIdx.x;
    if (i < 32) {
        for (int k = 0; k < kThreads; k += 32) tile[k + i] = x[first + k + i];
        (void)barrier.arrive();
    }
    barrier.wait_parity(false);
    out[first + i] = tile[kThreads - 1 - i];
}
ENTRY(barrier_of_a_warp, float, 8, kThreads, filled_by_a_warp)

// ---- copies that are bound to a barrier ----

template <int count> __global__ void bound(const float* x, float* out, int n) {
    __shared__ alignas(16) float tile[kThreads * count];
    __shared__ Barrier barrier;
    ready(barrier, kThreads);
    int first = blockIdx.x * kThreads * count, i = threadIdx.x;
    cuda::memcpy_async(&tile[count * i], &x[first + count * i], cuda::aligned_size_t<4 * count>(4 * count), barrier);
    barrier.arrive_and_wait();
    for (int k = 0; k < count; ++k) out[first + k * kThreads + i] = tile[(k * kThreads + i) ^ 1];
}
ENTRY(bound_4_bytes, float, 8, kThreads, bound<1>)
ENTRY(bound_8_bytes, float, 8, kThreads, bound<2>)
ENTRY(bound_16_bytes, float, 8, kThreads, bound<4>)

__global__ void bound_by_block(const float* x, float* out, int n) {
    __shared__ alignas(16) float tile[kThreads * 4];
    __shared__ Barrier barrier;
    ready(barrier, kThreads);
    int first = blockIdx.x * kThreads * 4, i = threadIdx.x;
    cuda::memcpy_async(cg::this_thread_block(), tile, &x[first], cuda::aligned_size_t<16>(sizeof tile), barrier);
    barrier.arrive_and_wait();
    for (int k = 0; k < 4; ++k) out[first + k * kThreads + i] = tile[(k * kThreads + i) ^ 1];
}
ENTRY(bound_block_16_bytes, float, 8, kThreads, bound_by_block)

// ---- pipelines ----

// A thread's own: its copies are its groups.
template <int stages> __global__ void own_pipeline(const float* x, float* out, int n) {
    __shared__ float tiles[stages][kThreads];
    auto pipe = cuda::make_pipeline();
    int first = blockIdx.x * kThreads, i = threadIdx.x;
    for (int round = 0; round < kRounds + stages - 1; ++round) {
        pipe.producer_acquire();
        if (round < kRounds) {
            cuda::memcpy_async(&tiles[round % stages][i], &x[first + i + round * n], cuda::aligned_size_t<4>(4), pipe);
        }
        pipe.producer_commit();
        if (round < stages - 1) continue;
        cuda::pipeline_consumer_wait_prior<stages - 1>(pipe);
        int done = round - (stages - 1);
        out[first + i + done * n] = tiles[done % stages][i];
        pipe.consumer_release();
    }
}
ENTRY(own_pipeline_one_stage, float, 8, kThreads, own_pipeline<1>)
ENTRY(own_pipeline_two_stages, float, 8, kThreads, own_pipeline<2>)
ENTRY(own_pipeline_four_stages, float, 8, kThreads, own_pipeline<4>)

// A block's: each thread fills and empties.
template <int stages> __global__ void block_pipeline(const float* x, float* out, int n) {
    __shared__ float tiles[stages][kThreads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int first = blockIdx.x * kThreads, i = threadIdx.x;
    for (int round = 0, next = 0; round < kRounds; ++round) {
        for (; next < kRounds && next < round + stages; ++next) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tiles[next % stages][i], &x[first + i + next * n], cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[first + i + round * n] = tiles[round % stages][kThreads - 1 - i];
        pipe.consumer_release();
    }
}
ENTRY(block_pipeline_one_stage, float, 8, kThreads, block_pipeline<1>)
ENTRY(block_pipeline_two_stages, float, 8, kThreads, block_pipeline<2>)

// Two warps fill, two empty.
__global__ void specialists(const float* x, float* out, int n) {
    constexpr int stages = 2, half = kThreads / 2;
    __shared__ float tiles[stages][half];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    bool fills = threadIdx.x < half;
    auto pipe = cuda::make_pipeline(block, &state, fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int first = blockIdx.x * half, i = threadIdx.x % half;
    for (int round = 0; round < kRounds; ++round) {
        if (fills) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tiles[round % stages][i], &x[first + i + round * n], cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[first + i + round * n] = tiles[round % stages][half - 1 - i];
            pipe.consumer_release();
        }
    }
}
ENTRY(pipeline_of_specialists, float, 8, kThreads, specialists)
