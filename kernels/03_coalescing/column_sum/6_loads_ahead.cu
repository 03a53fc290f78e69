// Rung 6 of 8: several loads on their way, which leave the cache first.
//
// A loop that adds what it has just asked for waits in each step. This one asks for four vectors (or eight numbers), from
// rows that lie a block's height apart, and only then adds the first. __ldcs says "streaming": each number is used once,
// and what brings it is the first to leave the cache.
// So fewer warps will do: two blocks for each multiprocessor instead of four, and half as many sums to add up at the end.
//
// On an H200, batch=1 rows=2^18 cols=256: 5_wide_loads 81.1 us, 6_loads_ahead 76.4 us.
// On an H200, batch=1 rows=2^18 cols=256: torch.sum 164 us, torch.compile 77.6 us.
// What torch.compile makes is for just this size.
//
// What did not help; each figure is against the same kernel without the change, in the same run: a run of rows for each
// block, not every P-th group (+2 us), blocks of 256 threads (+11), a cluster of 8 or 16 blocks that meet in distributed
// shared memory (98 us at best). Atomics on zeros, instead of scratch and a second launch, took 74 us; but they come in
// any order, so the last bits differ from run to run.

#include <algorithm>
#include <cstdint>

#include "../../common/scratch.cuh"

constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = 16;    // of a block, a row each at a time

template <typename Value>
constexpr unsigned kWidth = sizeof(Value) / sizeof(float);
template <typename Value>
constexpr unsigned kStrip = kLanes * kWidth<Value>;  // columns
template <typename Value>
constexpr unsigned kLoads = sizeof(Value) == sizeof(float4) ? 4 : 8;  // of a thread that are on their way at once
template <typename Value>
constexpr unsigned kResident = sizeof(Value) == sizeof(float4) ? 2 : 4;  // blocks for each multiprocessor

__device__ void add(float& sum, float value) { sum += value; }
__device__ void add(float4& sum, float4 value) {
    sum = make_float4(sum.x + value.x, sum.y + value.y, sum.z + value.z, sum.w + value.w);
}

// x is batch x rows x cols, out is batch x parts x cols.
template <typename Value>
__global__ void __launch_bounds__(kWarps* kLanes)
    sum_strips(const float* x, float* out, unsigned rows, unsigned cols, unsigned parts) {
    unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    unsigned strips = (cols - 1) / kStrip<Value> + 1;
    unsigned strip = blockIdx.x % strips, part = blockIdx.x / strips % parts;
    std::int64_t member = blockIdx.x / strips / parts;
    unsigned col = strip * kStrip<Value> + lane * kWidth<Value>;
    Value sum{};
    if (col < cols) {
        const float* top = x + member * rows * cols + col;
        constexpr unsigned kGroup = kWarps * kLoads<Value>;  // rows
        for (unsigned first = part * kGroup; first < rows; first += parts * kGroup) {
            Value value[kLoads<Value>];
            for (unsigned k = 0; k < kLoads<Value>; ++k) {
                unsigned row = first + k * kWarps + warp;
                const float* from = top + std::int64_t{row} * cols;
                value[k] = row < rows ? __ldcs(reinterpret_cast<const Value*>(from)) : Value{};
            }
            for (unsigned k = 0; k < kLoads<Value>; ++k) {
                add(sum, value[k]);
            }
        }
    }
    __shared__ Value sums[kWarps][kLanes];
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && col < cols) {
        for (unsigned other = 1; other < kWarps; ++other) {
            add(sum, sums[other][lane]);
        }
        *reinterpret_cast<Value*>(out + (member * parts + part) * cols + col) = sum;
    }
}

template <typename Value>
void launch_strips(
    const float* x, float* out, unsigned batch, unsigned rows, unsigned cols, unsigned parts, cudaStream_t stream) {
    unsigned blocks = batch * ceil_div(cols, kStrip<Value>) * parts;
    sum_strips<Value><<<blocks, kWarps * kLanes, 0, stream>>>(x, out, rows, cols, parts);
}

template <typename Value>
void sum_columns(const float* x, float* out, unsigned batch, unsigned rows, unsigned cols, cudaStream_t stream) {
    unsigned blocks = batch * ceil_div(cols, kStrip<Value>);
    unsigned parts = std::min(ceil_div(kResident<Value> * multiprocessors(), blocks), ceil_div(rows, kWarps * kLoads<Value>));
    if (parts == 1) {
        launch_strips<Value>(x, out, batch, rows, cols, 1, stream);
        return;
    }
    Scratch partial(std::int64_t{batch} * parts * cols, stream);
    launch_strips<Value>(x, partial.data, batch, rows, cols, parts, stream);
    launch_strips<Value>(partial.data, out, batch, parts, cols, 1, stream);
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    auto from = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(out);
    if (cols % 4 == 0 && from % sizeof(float4) == 0) {
        sum_columns<float4>(x, out, batch, rows, cols, stream);
    } else {
        sum_columns<float>(x, out, batch, rows, cols, stream);
    }
}
