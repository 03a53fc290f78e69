// Rung 5 of 8: 16 bytes a load.
//
// A lane reads a float4, four neighbouring columns, and keeps four sums. A request of the warp is 512 bytes of a row. The
// strips are four times as wide, 128 columns, and four times as many blocks share the rows of each.
//
// All rows start at a multiple of 16 bytes if the number of columns is a multiple of four. Else the same kernel goes on
// number by number: Value is float4 or float.
//
// Counted: 16 sectors a load where there were 4.
// On an H200, batch=1 rows=2^18 cols=256: 4_shared_rows 123 us, 5_wide_loads 81.1 us.

#include <algorithm>
#include <cstdint>

#include "../../common/scratch.cuh"

constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = 16;    // of a block, a row each at a time
constexpr unsigned kResident = 4;  // blocks for each multiprocessor

template <typename Value>
constexpr unsigned kWidth = sizeof(Value) / sizeof(float);
template <typename Value>
constexpr unsigned kStrip = kLanes * kWidth<Value>;  // columns

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
        for (unsigned row = part * kWarps + warp; row < rows; row += parts * kWarps) {
            add(sum, *reinterpret_cast<const Value*>(top + std::int64_t{row} * cols));
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
    unsigned parts = std::min(ceil_div(kResident * multiprocessors(), blocks), ceil_div(rows, kWarps));
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
