// Asynchronous copies of tiles to shared memory: shared by the upper rungs.

#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

// The threads that copy a tile together: a warp for itself, or the block.
struct Crew {
    int thread, threads;
};
__device__ Crew our_warp() { return {static_cast<int>(threadIdx.x % 32), 32}; }
__device__ Crew our_block() { return {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)}; }

// Starts to copy rows first ... first + kCount - 1 of a matrix into shared memory. Behind the last row, n - 1, that one
// is copied again: the caller must see to it that it does not count twice.
template <int kCount, int kDim, int kStride>
__device__ __forceinline__ void start_copy(float (*to)[kStride], const float* from, int first, int n, Crew crew) {
    constexpr int kLanes = kDim / 4;
    int col = crew.thread % kLanes * 4;
#pragma unroll 4
    for (int row = crew.thread / kLanes; row < kCount; row += crew.threads / kLanes) {
        const float* at = from + static_cast<std::int64_t>(min(first + row, n - 1)) * kDim + col;
        __pipeline_memcpy_async(&to[row][col], at, 16);
    }
}

// The same, transposed. A warp copies 8 floats of 4 rows: whole sectors, and into all banks.
template <int kCount, int kDim, int kStride>
__device__ __forceinline__ void start_transposed(float (*to)[kStride], const float* from, int first, int n, Crew crew) {
    int col = crew.thread % 8;
#pragma unroll 4
    for (int row = crew.thread / 8; row < kCount; row += crew.threads / 8) {
        const float* at = from + static_cast<std::int64_t>(min(first + row, n - 1)) * kDim + col;
#pragma unroll
        for (int i = 0; i < kDim; i += 8) __pipeline_memcpy_async(&to[col + i][row], at + i, 4);
    }
}

// All that was started has arrived, for all threads of the block; and what they read before may be overwritten.
__device__ __forceinline__ void wait_for_copies() {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}
