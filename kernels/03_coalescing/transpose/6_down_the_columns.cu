// Rung 6 of 7: blocks in the order in which out lies.
//
// Blocks run in the order of their numbers, nearly, and so far neighbours in number took neighbouring tiles of a row of
// x. They read one stretch of memory and write to places that are 64 rows of out apart. This time they go down the
// columns of tiles, so that neighbours in time write neighbouring pieces of the same rows of out. Stores are what suffers
// more from short pieces. For the same reason the tile for sizes without vectors is twice as tall.
//
// On an H200, rows=2^14 cols=2^14: 5_turned_squares 534 us, 6_down_the_columns 519 us.
// On an H200, rows=2^14 cols=2^14: copy_(x.t()) 1.85 ms, torch.compile 548 us.
// On an H200, rows=16383 cols=16383: 5_turned_squares 977 us, 6_down_the_columns 686 us.
// On an H200, rows=16383 cols=16383: copy_(x.t()) 1.89 ms, torch.compile 869 us.
// What torch.compile makes is for just these sizes.
//
// What did not help; each figure is against the same kernel without the change, in the same run: tiles of 32 x 32 (+27
// us), 64 x 128 or 128 x 64 (0), registers alone (+32), streaming loads (+12).

#include <cstdint>

constexpr unsigned kTile = 64;
constexpr unsigned kVectors = kTile / 4;  // in a row of the tile
constexpr unsigned kTurners = kVectors * kVectors;

inline unsigned ceil_div(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count - 1) / size + 1);
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

__global__ void __launch_bounds__(kTurners)
    transpose_vectors(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float4 tile[kTile][kVectors];  // transposed, with swizzled vectors
    unsigned down = (rows - 1) / kTile + 1;
    unsigned top = blockIdx.x % down * kTile, left = blockIdx.x / down * kTile;
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

// For sizes and pointers that do not suit vectors: rung 3's tile, twice as tall, for longer stores.
constexpr unsigned kTall = 64, kNarrow = 32;

__global__ void __launch_bounds__(kTurners)
    transpose_elements(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[kTall][kNarrow + 1];
    unsigned down = (rows - 1) / kTall + 1;
    unsigned top = blockIdx.x % down * kTall, left = blockIdx.x / down * kNarrow;
    for (unsigned i = threadIdx.x; i < kTall * kNarrow; i += kTurners) {
        unsigned row = i / kNarrow, col = i % kNarrow;
        if (top + row < rows && left + col < cols) {
            tile[row][col] = x[std::int64_t{top + row} * cols + left + col];
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kTall * kNarrow; i += kTurners) {
        unsigned row = i % kTall, col = i / kTall;
        if (top + row < rows && left + col < cols) {
            out[std::int64_t{left + col} * rows + top + row] = tile[row][col];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    if (rows % 4 == 0 && cols % 4 == 0 && is_aligned(x) && is_aligned(out)) {
        unsigned blocks = ceil_div(rows, kTile) * ceil_div(cols, kTile);
        transpose_vectors<<<blocks, kTurners, 0, stream>>>(x, out, rows, cols);
    } else {
        unsigned blocks = ceil_div(rows, kTall) * ceil_div(cols, kNarrow);
        transpose_elements<<<blocks, kTurners, 0, stream>>>(x, out, rows, cols);
    }
}
