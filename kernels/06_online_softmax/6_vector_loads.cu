// Rung 6 of 10: four floats a load.
// One load instruction of a warp in rung 5 brings 128 bytes, and a thread needs 32 of them for its share. Where all
// rows begin at a multiple of 16 bytes, a float4's worth can be loaded at once: a quarter of the instructions. Other
// rows are loaded one float at a time, by the same templates. Rows that do not fit into registers gain most: a thread
// now has 64 bytes of them on their way at once, and no longer one float.
//
// Loops over `values` count with an index. A loop over its elements, `for (auto& vector : values)`, was not unrolled
// for 32 vectors of one float, and then the array lies in memory.
//
// On an H200, rows=4096 cols=2^16 scratch_len=1024: 5_shuffles 989 us, 6_vector_loads 776 us.
// On an H200, rows=2^17 cols=2048 scratch_len=1024: 5_shuffles 1.72 ms, 6_vector_loads 1.46 ms.
// On an H200, rows=2^14 cols=2^14 scratch_len=1024: 5_shuffles 524 us, 6_vector_loads 518 us.

#include <cfloat>
#include <cstdint>

constexpr int kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr int kBlock = 512;
constexpr int kHeld = 32;   // elements of a row in a thread's registers
constexpr int kAhead = 16;  // of a longer row: that a thread has on their way at once

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

// Floats that one load brings: four, which begin at a multiple of 16 bytes, or one.
template <int kWidth>
struct alignas(kWidth * sizeof(float)) Vector {
    float at[kWidth];
};

// What a thread holds of a row: vector number `first`, and then every `stride`-th.
template <int kWidth, int kLoads>
struct Share {
    Vector<kWidth> values[kLoads];

    // Where the row has no more vectors: -inf, for its exponential is 0.
    __device__ void load(const float* row, unsigned first, unsigned stride, unsigned count) {
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            unsigned i = first + k * stride;
            if (i < count) {
                values[k] = reinterpret_cast<const Vector<kWidth>*>(row)[i];
            } else {
                for (float& value : values[k].at) {
                    value = -INFINITY;
                }
            }
        }
    }

    __device__ float largest(float max) const {
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            for (float value : values[k].at) {
                max = fmaxf(max, value);
            }
        }
        return max;
    }

    // Makes exponentials of the values, and adds them up.
    __device__ float exponentials(float max) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            for (float& value : values[k].at) {
                value = expf(value - max);
                sum += value;
            }
        }
        return sum;
    }

    __device__ void store(float* row, unsigned first, unsigned stride, unsigned count, float scale) {
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            unsigned i = first + k * stride;
            if (i < count) {
                for (float& value : values[k].at) {
                    value *= scale;
                }
                reinterpret_cast<Vector<kWidth>*>(row)[i] = values[k];
            }
        }
    }
};

template <int kWidth>
__global__ void __launch_bounds__(kBlock) row_in_registers(const float* x, float* y, int cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;

    Share<kWidth, kHeld / kWidth> share;
    share.load(x, threadIdx.x, kBlock, cols / kWidth);
    float max = warp_max(share.largest(none().max));
    Pair row = block_merge({max, warp_sum(share.exponentials(max))});
    share.store(y, threadIdx.x, kBlock, cols / kWidth, expf(max - row.max) / row.sum);
}

template <int kWidth>
__global__ void __launch_bounds__(kBlock) long_row(const float* x, float* y, int cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;

    Share<kWidth, kAhead / kWidth> share;
    Pair pair = none();
    for (unsigned first = threadIdx.x; first < cols / kWidth; first += kAhead / kWidth * kBlock) {
        share.load(x, first, kBlock, cols / kWidth);
        float max = share.largest(pair.max);
        pair = {max, pair.sum * expf(pair.max - max) + share.exponentials(max)};
    }
    pair = block_merge(warp_merge(pair));
    for (unsigned first = threadIdx.x; first < cols / kWidth; first += kAhead / kWidth * kBlock) {
        share.load(x, first, kBlock, cols / kWidth);
        share.exponentials(pair.max);
        share.store(y, first, kBlock, cols / kWidth, 1.0f / pair.sum);
    }
}

template <int kWidth>
void softmax_by(const float* x, float* y, int rows, int cols, cudaStream_t stream) {
    if (cols <= kBlock * kHeld) {
        row_in_registers<kWidth><<<rows, kBlock, 0, stream>>>(x, y, cols);
    } else {
        long_row<kWidth><<<rows, kBlock, 0, stream>>>(x, y, cols);
    }
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    if (cols % 4 == 0 && is_aligned(x) && is_aligned(y)) {
        softmax_by<4>(x, y, rows, cols, stream);
    } else {
        softmax_by<1>(x, y, rows, cols, stream);
    }
}
