// Rung 3 of 8: narrow strips.
//
// A strip of 8 columns is just a sector wide, and a request of a warp is 4 rows of 8 columns. So there are four times as
// many blocks as with 32 columns, and 32 threads for each output. The four rows of a warp are added up by shuffles.
//
// Counted: 16 blocks for 128 columns where there were 4.
// On an H200, batch=1 rows=2^18 cols=256: 2_several_warps 3.86 ms, 3_narrow_strips 1.03 ms.
// On an H200, batch=1 rows=256 cols=2^18: 1_one_thread 73.3 us, 2_several_warps 77.6 us, 3_narrow_strips 127 us.
// Where columns are many, narrow strips are a mistake: there are threads enough, and pieces of one sector, a whole row
// apart, are what memory likes least.

#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;         // the mask of all its lanes
constexpr unsigned kStrip = 8;                 // columns
constexpr unsigned kLines = kLanes / kStrip;   // rows that a warp reads at once
constexpr unsigned kWarps = 8;                 // that share a strip

inline unsigned blocks_for(std::int64_t count, unsigned size) { return static_cast<unsigned>((count - 1) / size + 1); }

__global__ void sum_columns(const float* x, float* out, unsigned rows, unsigned cols) {
    unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    unsigned place = lane % kStrip, line = lane / kStrip;
    unsigned strips = (cols - 1) / kStrip + 1;
    std::int64_t member = blockIdx.x / strips;
    unsigned col = blockIdx.x % strips * kStrip + place;
    float sum = 0.0f;
    if (col < cols) {
        const float* top = x + member * rows * cols + col;
        for (unsigned row = warp * kLines + line; row < rows; row += kWarps * kLines) {
            sum += top[std::int64_t{row} * cols];
        }
    }
    for (unsigned distance = kLanes / 2; distance >= kStrip; distance /= 2) {
        sum += __shfl_down_sync(kWarp, sum, distance);
    }
    __shared__ float sums[kWarps][kStrip];
    if (line == 0) {
        sums[warp][place] = sum;
    }
    __syncthreads();
    if (warp == 0 && line == 0 && col < cols) {
        for (unsigned other = 1; other < kWarps; ++other) {
            sum += sums[other][place];
        }
        out[member * cols + col] = sum;
    }
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    unsigned blocks = batch * blocks_for(cols, kStrip);
    sum_columns<<<blocks, kWarps * kLanes, 0, stream>>>(x, out, rows, cols);
}
