// Copies matrices of bfloat16 to rows that begin at multiples of 128 bytes, for what loads 16 bytes at a time.

#pragma once

#include <cuda_bf16.h>

#include <climits>
#include <cstdint>

constexpr int kPiece = 8;  // elements in 16 bytes

// The piece that begins at matrix[first]; zeros behind `count` elements. Words of four bytes, the fewest that hold it:
// if it begins in the middle of one, they are shifted by half a word. `all` is where the matrix ends.
__device__ uint4 unaligned_piece(const __nv_bfloat16* matrix, std::int64_t first, std::int64_t all, int count) {
    auto words = reinterpret_cast<const unsigned*>(matrix) + first / 2;
    int half = first % 2;
    unsigned word[5] = {}, piece[4];
#pragma unroll
    for (int i = 0; i < 5; ++i) {
        if (2 * i - half >= count) continue;
        word[i] = (first / 2 + i) * 2 + 1 < all ? words[i] : *reinterpret_cast<const unsigned short*>(words + i);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        piece[i] = __funnelshift_r(word[i], word[i + 1], half * 16);
        if (2 * i + 1 >= count) piece[i] = 2 * i < count ? piece[i] & 0xffff : 0;
    }
    return {piece[0], piece[1], piece[2], piece[3]};
}

// Copies rows of k elements, a's and then b's, to rows of `pitch`. A thread copies a piece, the first ones the last:
// the product begins with a's first rows, and finds them in the L2 cache.
__global__ void widen(const __nv_bfloat16* a, const __nv_bfloat16* b, uint4* to, int m, int n, int k, int pitch) {
    std::int64_t at = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x, count = m + std::int64_t{n};
    int pieces = (k - 1) / kPiece + 1;
    if (at >= count * pieces) return;
    at = count * pieces - 1 - at;
    bool is_small = count * pieces <= UINT_MAX;  // divisions of 64 bits take a while
    std::int64_t row = is_small ? static_cast<unsigned>(at) / static_cast<unsigned>(pieces) : at / pieces;
    int piece = static_cast<int>(at - row * pieces), first = piece * kPiece;
    to += row * pitch / kPiece + piece;
    *to = row < m ? unaligned_piece(a, row * k + first, std::int64_t{m} * k, k - first)
                  : unaligned_piece(b, (row - m) * k + first, std::int64_t{n} * k, k - first);
}
