// Rung 5 of 7: squares of 4 x 4 turned in registers, and a swizzled tile.
//
// Rung 4's vectors are taken apart for the tile: four stores and four loads of one word each. But a thread that loads
// four vectors from four rows below each other holds a square of 4 x 4, and can turn it in its registers: its columns are
// vectors of out. So the tile is filled and read by vectors, too.
// It needs no padding: vector v of its row k lies at v ^ (k / 4 % 8), so that eight neighbouring lanes meet all 32 banks,
// along a row as well as down a column. (Shared memory serves vectors of 16 bytes for eight lanes at a time.)
//
// Counted: a quarter of the loads and stores of shared memory.
// On an H200, rows=2^14 cols=2^14: 4_vectors 614 us, 5_turned_squares 534 us.

#include <cstdint>

constexpr unsigned kTile = 64;
constexpr unsigned kVectors = kTile / 4;  // in a row of the tile
constexpr unsigned kTurners = kVectors * kVectors;
constexpr unsigned kSmall = 32, kRowsAtOnce = 8;  // the tile of rung 3

inline unsigned ceil_div(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count - 1) / size + 1);
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

__global__ void __launch_bounds__(kTurners)
    transpose_vectors(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float4 tile[kTile][kVectors];  // transposed, with swizzled vectors
    unsigned across = (cols - 1) / kTile + 1;
    unsigned left = blockIdx.x % across * kTile, top = blockIdx.x / across * kTile;
    unsigned i = threadIdx.x % kVectors, j = threadIdx.x / kVectors;
    if (top + 4 * j < rows && left + 4 * i < cols) {
        float4 row[4];
        for (unsigned k = 0; k < 4; ++k) {
            row[k] = *reinterpret_cast<const float4*>(x + std::int64_t{top + 4 * j + k} * cols + left + 4 * i);
        }
        unsigned place = j ^ (i % 8);
        tile[4 * i][place] = make_float4(row[0].x, row[1].x, row[2].x, row[3].x);
        tile[4 * i + 1][place] = make_float4(row[0].y, row[1].y, row[2].y, row[3].y);
        tile[4 * i + 2][place] = make_float4(row[0].z, row[1].z, row[2].z, row[3].z);
        tile[4 * i + 3][place] = make_float4(row[0].w, row[1].w, row[2].w, row[3].w);
    }
    __syncthreads();
    for (unsigned k = j; k < kTile; k += kVectors) {
        if (left + k < cols && top + 4 * i < rows) {
            float* to = out + std::int64_t{left + k} * rows + top + 4 * i;
            *reinterpret_cast<float4*>(to) = tile[k][i ^ (k / 4 % 8)];
        }
    }
}

// For sizes and pointers that do not suit vectors: rung 3's tile.
__global__ void transpose_elements(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[kSmall][kSmall + 1];
    unsigned across = (cols - 1) / kSmall + 1;
    unsigned left = blockIdx.x % across * kSmall, top = blockIdx.x / across * kSmall;
    for (unsigned k = threadIdx.y; k < kSmall; k += kRowsAtOnce) {
        unsigned row = top + k, col = left + threadIdx.x;
        if (row < rows && col < cols) {
            tile[k][threadIdx.x] = x[std::int64_t{row} * cols + col];
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.y; k < kSmall; k += kRowsAtOnce) {
        unsigned row = top + threadIdx.x, col = left + k;
        if (row < rows && col < cols) {
            out[std::int64_t{col} * rows + row] = tile[threadIdx.x][k];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    if (rows % 4 == 0 && cols % 4 == 0 && is_aligned(x) && is_aligned(out)) {
        unsigned blocks = ceil_div(rows, kTile) * ceil_div(cols, kTile);
        transpose_vectors<<<blocks, kTurners, 0, stream>>>(x, out, rows, cols);
    } else {
        unsigned blocks = ceil_div(rows, kSmall) * ceil_div(cols, kSmall);
        transpose_elements<<<blocks, dim3(kSmall, kRowsAtOnce), 0, stream>>>(x, out, rows, cols);
    }
}
