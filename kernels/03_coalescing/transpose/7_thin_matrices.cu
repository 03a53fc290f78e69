// Rung 7 of 7: thin matrices without a tile.
//
// A matrix of three rows fills 3 of the 32 rows of a tile: 29 of 32 lanes have nothing to store. It has no squares, and
// needs none: a warp walks along the side whose rows are short, in one stretch of memory, and on the other side it touches
// as many stretches as a short row is long.
//
// Counted: whole sectors in each store of a matrix of 3 rows, where 12 bytes of 32 were used.
// On an H200, rows=2^14 cols=2^14: 6_down_the_columns 519 us, 7_thin_matrices 519 us.
// Tried at 3 x 33554432: 301 us (rung 6: 1947; copy_(x.t()): 307).

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

// A matrix of a few long rows, or a few long columns, has no squares, and needs none: a warp walks along the side whose
// rows are short, in one stretch of memory, and on the other side it touches as many stretches as a short row is long.
constexpr unsigned kThin = 8;

template <bool kReadsRows>
__global__ void __launch_bounds__(kTurners) transpose_thin(const float* x, float* out, unsigned length, unsigned thin) {
    unsigned start = blockIdx.x * kTurners, count = min(kTurners, length - start) * thin;
    for (unsigned i = threadIdx.x; i < count; i += kTurners) {
        std::int64_t packed = std::int64_t{start} * thin + i;
        std::int64_t spread = std::int64_t{i % thin} * length + start + i / thin;
        if constexpr (kReadsRows) {
            out[packed] = x[spread];
        } else {
            out[spread] = x[packed];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    if (rows <= kThin) {
        transpose_thin<true><<<ceil_div(cols, kTurners), kTurners, 0, stream>>>(x, out, cols, rows);
    } else if (cols <= kThin) {
        transpose_thin<false><<<ceil_div(rows, kTurners), kTurners, 0, stream>>>(x, out, rows, cols);
    } else if (rows % 4 == 0 && cols % 4 == 0 && is_aligned(x) && is_aligned(out)) {
        unsigned blocks = ceil_div(rows, kTile) * ceil_div(cols, kTile);
        transpose_vectors<<<blocks, kTurners, 0, stream>>>(x, out, rows, cols);
    } else {
        unsigned blocks = ceil_div(rows, kTall) * ceil_div(cols, kNarrow);
        transpose_elements<<<blocks, kTurners, 0, stream>>>(x, out, rows, cols);
    }
}
