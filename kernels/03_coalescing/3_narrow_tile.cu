// Rung 3 of 4: a narrow, padded tile.
//
// Padded: if the rows of the tile are 33 words long instead of 32, the words of a column lie in 32 different banks, and
// none of them waits.
// Narrow: a warp takes 8 outputs instead of 32, and 4 threads work on each. That makes four times as many warps, and
// while one adds up what it has, others wait for memory: more bytes are on their way.
//
// Row sum: 8 rows x 32 columns a tile. Here rows of 36 words suit: with 8 rows and 4 threads each, 36 row + part are 32
// different numbers modulo 32.
// Column sum: a request of a warp is 4 rows of 8 columns, and 8 columns are just a sector. 32 threads an output.
// Transpose: the tile of rung 2, padded.
//
// Counted: no bank conflicts where there were 31 for each request, 32 threads a column instead of 8.
// Measured on an H200: row sum at 262144 x 256 107 -> 79 us, column sum there 3.9 -> 1.0 ms, transpose at 16384 x 16384
// 1.23 -> 0.65 ms. Where columns are many, narrow strips are a mistake: 256 x 262144 took rung 1 75 us, rung 2 79, this
// 129. There are threads enough, and pieces of one sector, a whole row apart, are what memory likes least.

#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;          // the mask of all its lanes
constexpr unsigned kOutputs = 8;                // of a warp
constexpr unsigned kParts = kLanes / kOutputs;  // threads that work on one output

inline unsigned blocks_for(std::int64_t count, unsigned size) { return static_cast<unsigned>((count - 1) / size + 1); }

// ---- row sum ----

constexpr unsigned kRowWarps = 8;
constexpr unsigned kPitch = kLanes + kParts;

__global__ void sum_rows(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tiles[kRowWarps][kOutputs][kPitch];
    unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    unsigned output = lane / kParts, part = lane % kParts;
    unsigned first = (blockIdx.x * kRowWarps + warp) * kOutputs;
    auto& tile = tiles[warp];
    float sum = 0.0f;
    for (unsigned left = 0; left < cols; left += kLanes) {
        unsigned col = left + lane;
        for (unsigned k = 0; k < kOutputs; ++k) {
            bool inside = first + k < rows && col < cols;
            tile[k][lane] = inside ? x[std::int64_t{first + k} * cols + col] : 0.0f;
        }
        __syncwarp();
        for (unsigned k = part; k < kLanes; k += kParts) {
            sum += tile[output][k];
        }
        __syncwarp();
    }
    for (unsigned distance = kParts / 2; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(kWarp, sum, distance);
    }
    if (part == 0 && first + output < rows) {
        out[first + output] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<blocks_for(rows, kRowWarps * kOutputs), kRowWarps * kLanes, 0, stream>>>(x, out, rows, cols);
}

// ---- column sum ----

constexpr unsigned kColumnWarps = 8;

__global__ void sum_columns(const float* x, float* out, unsigned rows, unsigned cols) {
    unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    unsigned output = lane % kOutputs, part = lane / kOutputs;
    unsigned strips = (cols - 1) / kOutputs + 1;
    std::int64_t member = blockIdx.x / strips;
    unsigned col = blockIdx.x % strips * kOutputs + output;
    float sum = 0.0f;
    if (col < cols) {
        const float* top = x + member * rows * cols + col;
        for (unsigned row = warp * kParts + part; row < rows; row += kColumnWarps * kParts) {
            sum += top[std::int64_t{row} * cols];
        }
    }
    for (unsigned distance = kLanes / 2; distance >= kOutputs; distance /= 2) {
        sum += __shfl_down_sync(kWarp, sum, distance);
    }
    __shared__ float sums[kColumnWarps][kOutputs];
    if (part == 0) {
        sums[warp][output] = sum;
    }
    __syncthreads();
    if (warp == 0 && part == 0 && col < cols) {
        for (unsigned other = 1; other < kColumnWarps; ++other) {
            sum += sums[other][output];
        }
        out[member * cols + col] = sum;
    }
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    unsigned blocks = batch * blocks_for(cols, kOutputs);
    sum_columns<<<blocks, kColumnWarps * kLanes, 0, stream>>>(x, out, rows, cols);
}

// ---- transpose ----

constexpr unsigned kTile = 32, kRowsAtOnce = 8;

__global__ void transpose_tiles(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[kTile][kTile + 1];
    unsigned across = (cols - 1) / kTile + 1;
    unsigned left = blockIdx.x % across * kTile, top = blockIdx.x / across * kTile;
    for (unsigned k = threadIdx.y; k < kTile; k += kRowsAtOnce) {
        unsigned row = top + k, col = left + threadIdx.x;
        if (row < rows && col < cols) {
            tile[k][threadIdx.x] = x[std::int64_t{row} * cols + col];
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.y; k < kTile; k += kRowsAtOnce) {
        unsigned row = top + threadIdx.x, col = left + k;
        if (row < rows && col < cols) {
            out[std::int64_t{col} * rows + row] = tile[threadIdx.x][k];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    unsigned blocks = blocks_for(rows, kTile) * blocks_for(cols, kTile);
    transpose_tiles<<<blocks, dim3(kTile, kRowsAtOnce), 0, stream>>>(x, out, rows, cols);
}
