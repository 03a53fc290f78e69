// A warp's tile of a product, in registers: shared by the rungs of both ladders.
//
// The lanes of a warp lie 4 down and 8 across. A lane has 8 rows of the warp's 32 (or 4 of 16), and 4 to 16 columns, both
// in groups of four, so that it reads float4. As in lesson 04, each float that it reads from shared memory then serves
// many multiplications.

#pragma once

#include <cstdint>

constexpr int kLanesDown = 4, kLanesAcross = 8;
constexpr unsigned kAll = 0xffffffffu;
constexpr float kLog2E = 1.44269504f;

// Bits 0 and 2 of the lane count down, bits 1, 3 and 4 across: T and T ^ 1 read the same columns, T and T ^ 2 the same
// rows, so that a load of float4 takes 2 wavefronts instead of 4.
__device__ int lane_down() { return (threadIdx.x & 1) | (threadIdx.x >> 1 & 2); }
__device__ int lane_across() { return (threadIdx.x >> 1 & 1) | (threadIdx.x >> 2 & 6); }

// Which rows and columns of the warp's tile are ours.
__device__ int row_of(int r) { return 4 * lane_down() + r / 4 * 4 * kLanesDown + r % 4; }
__device__ int col_of(int c) { return 4 * lane_across() + c / 4 * 4 * kLanesAcross + c % 4; }

// Combines the values of the 8 lanes that have the same rows.
template <class Combine> __device__ float over_row(float x, Combine combine) {
    for (int bit : {2, 8, 16}) x = combine(x, __shfl_xor_sync(kAll, x, bit));
    return x;
}

// Groups of four floats, `apart` floats from each other, from shared memory.
template <int kCount> __device__ __forceinline__ void take(float (&to)[kCount], const float* from, int apart) {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
        *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i / 4 * apart);
    }
}

// sum[r][c] += a[i][row_of(r)] * b[i][col_of(c)], for all i below kCount. The floats for the next multiplications are
// read during these. They go to and fro, so that each shares a factor with the one before it. kUnroll steps are written
// out: more of them need more registers, and more room where instructions are kept.
template <int kCount, int kUnroll = 16, int kRows, int kCols, int kStrideA, int kStrideB>
__device__ __forceinline__ void multiply(float (&sum)[kRows][kCols], const float (*a)[kStrideA],
                                         const float (*b)[kStrideB]) {
    float column[2][kRows], row[2][kCols];
    auto take_both = [&](int to, int i) {
        take(column[to], &a[i][row_of(0)], 4 * kLanesDown);
        take(row[to], &b[i][col_of(0)], 4 * kLanesAcross);
    };
    take_both(0, 0);
#pragma unroll kUnroll
    for (int i = 0; i < kCount; ++i) {
        take_both((i + 1) % 2, (i + 1) % kCount);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
#pragma unroll
            for (int j = 0; j < kCols; ++j) {
                int c = r % 2 == 0 ? j : kCols - 1 - j;
                sum[r][c] += column[i % 2][r] * row[i % 2][c];
            }
        }
    }
}

// Our part of a tile into shared memory, column after column; col_is(c) is the tile's column.
template <int kRows, int kCols, int kStride, class ColIs>
__device__ __forceinline__ void put_transposed(float (*to)[kStride], const float (&from)[kRows][kCols], ColIs col_is) {
#pragma unroll
    for (int c = 0; c < kCols; ++c) {
#pragma unroll
        for (int r = 0; r < kRows; r += 4) {
            float4 four = make_float4(from[r][c], from[r + 1][c], from[r + 2][c], from[r + 3][c]);
            *reinterpret_cast<float4*>(&to[col_is(c)][row_of(r)]) = four;
        }
    }
}

// Our part of rows of a matrix with n rows; row_is(r) is the matrix's row.
template <int kDim, int kRows, class RowIs>
__device__ __forceinline__ void store(float* to, const float (&from)[kRows][kDim / kLanesAcross], int n, RowIs row_is) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        if (row_is(r) >= n) continue;
        float* row = to + static_cast<std::int64_t>(row_is(r)) * kDim;
#pragma unroll
        for (int c = 0; c < kDim / kLanesAcross; c += 4) {
            float4 four = make_float4(from[r][c], from[r][c + 1], from[r][c + 2], from[r][c + 3]);
            __stcs(reinterpret_cast<float4*>(row + col_of(c)), four);  // an assignment nvcc may take apart, into floats
        }
    }
}
