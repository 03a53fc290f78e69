// Rung 2 of 4: a tile of shared memory.
//
// Read in the order that the memory likes, put it down in shared memory, use it in the order that the task likes:
// corner turning. Shared memory has no sectors, any 32 words may be asked for together.
//
// Row sum: a warp takes 32 rows. It reads 32 x 32 numbers, a row of 128 bytes a request, into a tile of its own, and
// then each lane adds up one row of the tile. Nobody else touches the tile, so __syncwarp() is enough.
// Column sum: 8 warps take the same 32 columns, every eighth row each, and meet in shared memory at the end. There are
// 8 threads for an output.
// Transpose: the square is loaded by rows and stored by columns, so that both sides are in a row.
//
// Counted: 4 sectors for each load and store of 32 numbers where there were 32, and 8 threads a column instead of 1.
// Measured on an H200: row sum at 262144 x 256 274 -> 107 us, column sum there 14.9 -> 3.9 ms, transpose at
// 16384 x 16384 4.3 -> 1.2 ms.
//
// What is left to mend: the lanes read tile[lane][k]. Their words lie 32 apart, all in one of the 32 banks, and each
// such load takes 32 turns instead of one.

#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kTile = 32;

inline unsigned blocks_for(std::int64_t count, unsigned size) { return static_cast<unsigned>((count - 1) / size + 1); }

// ---- row sum ----

constexpr unsigned kRowWarps = 4;  // in a block, each with a tile of 4 KB

__global__ void sum_rows(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tiles[kRowWarps][kTile][kTile];
    unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    unsigned first = (blockIdx.x * kRowWarps + warp) * kTile;
    auto& tile = tiles[warp];
    float sum = 0.0f;
    for (unsigned left = 0; left < cols; left += kTile) {
        unsigned col = left + lane;
        for (unsigned k = 0; k < kTile; ++k) {
            bool inside = first + k < rows && col < cols;
            tile[k][lane] = inside ? x[std::int64_t{first + k} * cols + col] : 0.0f;
        }
        __syncwarp();  // the tile is full before a lane reads what others wrote
        for (unsigned k = 0; k < kTile; ++k) {
            sum += tile[lane][k];
        }
        __syncwarp();  // and has been read before it is filled again
    }
    if (first + lane < rows) {
        out[first + lane] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<blocks_for(rows, kRowWarps * kTile), kRowWarps * kLanes, 0, stream>>>(x, out, rows, cols);
}

// ---- column sum ----

constexpr unsigned kColumnWarps = 8;

__global__ void sum_columns(const float* x, float* out, unsigned rows, unsigned cols) {
    unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    unsigned strips = (cols - 1) / kTile + 1;
    std::int64_t member = blockIdx.x / strips;
    unsigned col = blockIdx.x % strips * kTile + lane;
    float sum = 0.0f;
    if (col < cols) {
        const float* top = x + member * rows * cols + col;
        for (unsigned row = warp; row < rows; row += kColumnWarps) {
            sum += top[std::int64_t{row} * cols];
        }
    }
    __shared__ float sums[kColumnWarps][kTile];
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && col < cols) {
        for (unsigned other = 1; other < kColumnWarps; ++other) {
            sum += sums[other][lane];
        }
        out[member * cols + col] = sum;
    }
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    unsigned blocks = batch * blocks_for(cols, kTile);
    sum_columns<<<blocks, kColumnWarps * kLanes, 0, stream>>>(x, out, rows, cols);
}

// ---- transpose ----

constexpr unsigned kRowsAtOnce = 8;

__global__ void transpose_tiles(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[kTile][kTile];
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
