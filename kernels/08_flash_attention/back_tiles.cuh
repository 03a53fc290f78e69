// What the upper rungs of the backward pass share: tiles whose rows are read along d, and the sums grad_out . out.

#pragma once

#include <cstdint>

#include "warp_tile.cuh"

// Rows and columns of a lane in a product of rows with rows: neighbouring lanes read neighbouring rows, float4 along d.
__device__ int near_of(int r) { return lane_down() + r * kLanesDown; }
__device__ int other_of(int c) { return lane_across() + c * kLanesAcross; }

// sum[r][c] += the product of row near_of(r) of a and row other_of(c) of b. Rows are 4 floats longer than they have to
// be, so that lanes with different rows read different banks.
template <int kDim, int kOurs, int kCols>
__device__ __forceinline__ void multiply_rows(float (&sum)[kOurs][kCols], const float (*a)[kDim + 4],
                                              const float (*b)[kDim + 4]) {
#pragma unroll (kDim == 128 ? 2 : 1)
    for (int i = 0; i < kDim; i += 4) {
        float row[kOurs][4], col[kCols][4];
#pragma unroll
        for (int c = 0; c < kCols; ++c) take(col[c], &b[other_of(c)][i], 4);
#pragma unroll
        for (int r = 0; r < kOurs; ++r) take(row[r], &a[near_of(r)][i], 4);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
#pragma unroll
            for (int r = 0; r < kOurs; ++r) {
#pragma unroll
                for (int j = 0; j < kCols; ++j) {
                    int c = r % 2 == 0 ? j : kCols - 1 - j;
                    sum[r][c] += row[r][e] * col[c][e];
                }
            }
        }
    }
}

// rest[row] = grad_out . out, a warp for each row.
__global__ void rests(const float* out, const float* grad_out, float* rest, std::int64_t rows, int d) {
    std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    float sum = 0;
    for (int c = threadIdx.x % 32; c < d; c += 32) sum += grad_out[row * d + c] * out[row * d + c];
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(kAll, sum, bit);
    if (threadIdx.x % 32 == 0) rest[row] = sum;
}
