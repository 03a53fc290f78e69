// Rung 5 of 10: warps agree by shuffles.
// Rung 4's tree has nine steps for 512 threads, each with a barrier, and in each half of the threads fall idle. A warp
// needs none of that: __shfl_xor_sync reads a register of the lane whose number differs in one bit, and after five such
// exchanges all 32 lanes know the result. So a warp agrees on its maximum and its sum, and only one pair a warp goes
// through shared memory: one barrier a row is left of ten.
//
// On an H200, rows=2^17 cols=2048 scratch_len=1024: 4_registers 2.04 ms, 5_shuffles 1.72 ms.
// On an H200, rows=2^16 cols=4099 scratch_len=1024: 4_registers 1.08 ms, 5_shuffles 923 us.
// On an H200, rows=2^14 cols=2^14 scratch_len=1024: 4_registers 523 us, 5_shuffles 524 us.
// Where the memory is what all wait for, barriers do not show: rung 4 is as fast there.

#include <cfloat>
#include <cstdint>

constexpr int kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr int kBlock = 512;
constexpr int kHeld = 32;  // elements of a row in a thread's registers

// Of some elements: the largest, and the sum of exp(x - max).
struct Pair {
    float max, sum;
};

// Of no elements. -FLT_MAX, for no float but -inf itself is below it: with -inf here, -inf - -inf would give NaN.
__device__ Pair none() { return {-FLT_MAX, 0.0f}; }

// To every lane of a warp. fmaxf leaves out a NaN; the sum does not, and takes it to the whole row.
__device__ float warp_max(float value) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(kWarp, value, distance));
    }
    return value;
}

__device__ float warp_sum(float value) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(kWarp, value, distance);
    }
    return value;
}

__device__ Pair warp_merge(Pair pair) {
    float max = warp_max(pair.max);
    return {max, warp_sum(pair.sum * expf(pair.max - max))};
}

// Merges one pair from each warp, the same in all its lanes. Every thread gets the block's.
__device__ Pair block_merge(Pair pair) {
    __shared__ Pair pairs[kBlock / kLanes];
    int lane = threadIdx.x % kLanes;
    if (lane == 0) {
        pairs[threadIdx.x / kLanes] = pair;
    }
    __syncthreads();
    return warp_merge(lane < kBlock / kLanes ? pairs[lane] : none());
}

__global__ void __launch_bounds__(kBlock) row_in_registers(const float* x, float* y, int cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;

    float values[kHeld];
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
        int col = k * kBlock + threadIdx.x;
        values[k] = col < cols ? x[col] : -INFINITY;  // its exponential is 0
    }
    float max = none().max;
#pragma unroll
    for (float value : values) {
        max = fmaxf(max, value);
    }
    max = warp_max(max);
    float sum = 0.0f;
#pragma unroll
    for (float& value : values) {
        value = expf(value - max);
        sum += value;
    }
    Pair row = block_merge({max, warp_sum(sum)});
    float scale = expf(max - row.max) / row.sum;
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
        int col = k * kBlock + threadIdx.x;
        if (col < cols) {
            y[col] = values[k] * scale;
        }
    }
}

__global__ void long_row(const float* x, float* y, int cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;

    Pair pair = none();
    for (int col = threadIdx.x; col < cols; col += kBlock) {
        float max = fmaxf(pair.max, x[col]);
        pair = {max, pair.sum * expf(pair.max - max) + expf(x[col] - max)};
    }
    pair = block_merge(warp_merge(pair));
    for (int col = threadIdx.x; col < cols; col += kBlock) {
        y[col] = expf(x[col] - pair.max) / pair.sum;
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    if (cols <= kBlock * kHeld) {
        row_in_registers<<<rows, kBlock, 0, stream>>>(x, y, cols);
    } else {
        long_row<<<rows, kBlock, 0, stream>>>(x, y, cols);
    }
}
