// Rung 4 of 7: 16 bytes a load and a store.
//
// A lane moves a float4 on both sides. The tile is 64 x 64 now, so that a thread has four of them on their way. Between
// the two sides the numbers go through the tile one by one, and the lanes of a warp are a square of 8 vectors by 4 rows:
// with rows of 65 words, lane (i, j) wants bank 4 i + j plus a constant, going in as well as coming out, and these are 32
// different banks.
//
// Rows of x and of out begin at multiples of 16 bytes only if rows and columns are multiples of four. Other sizes take
// rung 3's kernel.
//
// Counted: 16 sectors a load where there were 4.
// On an H200, rows=2^14 cols=2^14: 3_padded_tile 652 us, 4_vectors 614 us.

#include <cstdint>

constexpr unsigned kTile = 64;
constexpr unsigned kThreads = 256;
constexpr unsigned kLine = 8;  // lanes that read vectors of one row
constexpr unsigned kSmall = 32, kRowsAtOnce = 8;  // the tile of rung 3

inline unsigned ceil_div(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count - 1) / size + 1);
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

__global__ void __launch_bounds__(kThreads)
    transpose_vectors(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[kTile][kTile + 1];
    unsigned across = (cols - 1) / kTile + 1;
    unsigned left = blockIdx.x % across * kTile, top = blockIdx.x / across * kTile;
    unsigned i = threadIdx.x % kLine, j = threadIdx.x / kLine;
    for (unsigned v = i; v < kTile / 4; v += kLine) {
        for (unsigned k = j; k < kTile; k += kThreads / kLine) {
            if (top + k < rows && left + 4 * v < cols) {
                float4 value = *reinterpret_cast<const float4*>(x + std::int64_t{top + k} * cols + left + 4 * v);
                tile[k][4 * v] = value.x;
                tile[k][4 * v + 1] = value.y;
                tile[k][4 * v + 2] = value.z;
                tile[k][4 * v + 3] = value.w;
            }
        }
    }
    __syncthreads();
    for (unsigned v = i; v < kTile / 4; v += kLine) {
        for (unsigned k = j; k < kTile; k += kThreads / kLine) {
            if (left + k < cols && top + 4 * v < rows) {
                float4 value = make_float4(tile[4 * v][k], tile[4 * v + 1][k], tile[4 * v + 2][k], tile[4 * v + 3][k]);
                *reinterpret_cast<float4*>(out + std::int64_t{left + k} * rows + top + 4 * v) = value;
            }
        }
    }
}

// For sizes and pointers that do not suit vectors.
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
        transpose_vectors<<<blocks, kThreads, 0, stream>>>(x, out, rows, cols);
    } else {
        unsigned blocks = ceil_div(rows, kSmall) * ceil_div(cols, kSmall);
        transpose_elements<<<blocks, dim3(kSmall, kRowsAtOnce), 0, stream>>>(x, out, rows, cols);
    }
}
