// Rung 4 of 8: blocks that share the rows.
//
// Narrow strips are a way to have more blocks, and wide strips are what memory likes. Both can be had: strips of 32
// columns again, and if they make too few blocks, several blocks share the rows of a strip. Block p of P takes every
// P-th group of rows, so that all blocks walk through the matrix side by side.
//
// Who adds up their sums? They leave them in scratch memory, P rows one below the other, and a second launch of the same
// kernel adds up its columns: the result is the same in every run, to the last bit. Atomics on `out` would want zeros
// there first, and they come in any order.
//
// Counted: 64 blocks and 128 threads a column for 128 columns where there were 16 and 32.
// On an H200, batch=1 rows=2^18 cols=256: 3_narrow_strips 1.03 ms, 4_shared_rows 123 us.

#include <algorithm>
#include <cstdint>

#include "../../common/scratch.cuh"

constexpr unsigned kLanes = 32;
constexpr unsigned kStrip = 32;     // columns
constexpr unsigned kWarps = 16;     // of a block, a row each at a time
constexpr unsigned kResident = 4;   // blocks for each multiprocessor

// x is batch x rows x cols, out is batch x parts x cols.
__global__ void __launch_bounds__(kWarps* kLanes)
    sum_strips(const float* x, float* out, unsigned rows, unsigned cols, unsigned parts) {
    unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    unsigned strips = (cols - 1) / kStrip + 1;
    unsigned strip = blockIdx.x % strips, part = blockIdx.x / strips % parts;
    std::int64_t member = blockIdx.x / strips / parts;
    unsigned col = strip * kStrip + lane;
    float sum = 0.0f;
    if (col < cols) {
        const float* top = x + member * rows * cols + col;
        for (unsigned row = part * kWarps + warp; row < rows; row += parts * kWarps) {
            sum += top[std::int64_t{row} * cols];
        }
    }
    __shared__ float sums[kWarps][kStrip];
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && col < cols) {
        for (unsigned other = 1; other < kWarps; ++other) {
            sum += sums[other][lane];
        }
        out[(member * parts + part) * cols + col] = sum;
    }
}

void launch_strips(
    const float* x, float* out, unsigned batch, unsigned rows, unsigned cols, unsigned parts, cudaStream_t stream) {
    unsigned blocks = batch * ceil_div(cols, kStrip) * parts;
    sum_strips<<<blocks, kWarps * kLanes, 0, stream>>>(x, out, rows, cols, parts);
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    unsigned blocks = ceil_div(cols, kStrip) * batch;
    unsigned parts = std::min(ceil_div(kResident * multiprocessors(), blocks), ceil_div(rows, kWarps));
    if (parts == 1) {
        launch_strips(x, out, batch, rows, cols, 1, stream);
        return;
    }
    Scratch partial(std::int64_t{batch} * parts * cols, stream);
    launch_strips(x, partial.data, batch, rows, cols, parts, stream);
    launch_strips(partial.data, out, batch, parts, cols, 1, stream);
}
