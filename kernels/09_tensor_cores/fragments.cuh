// What the upper rungs of attention share, all of it from the ladder of matmul_bf16: tiles in shared memory, fragments,
// and the tensor core's product.

#pragma once

#include <cuda_bf16.h>

#include <cstdint>

// A tile of bfloat16 in pieces of 16 bytes, so placed that neither a fragment's rows nor a copy meet a bank twice.
template <int kRows, int kDim> struct Tile {
    uint4 pieces[kRows][kDim / 8];

    // Where piece `piece` of a row lies.
    __device__ uint4& at(unsigned row, unsigned piece) { return pieces[row][piece ^ row % 8]; }
};

__device__ unsigned shared_address(const uint4& piece) {
    return static_cast<unsigned>(__cvta_generic_to_shared(&piece));
}

// Starts to copy rows first, first + 1, ... of n; those behind the last become zeros.
template <int kThreads, int kRows, int kDim>
__device__ __forceinline__ void start_copy(Tile<kRows, kDim>& to, const __nv_bfloat16* from, int first, int n) {
    constexpr int kPieces = kDim / 8;
    unsigned piece = threadIdx.x % kPieces;
#pragma unroll
    for (unsigned row = threadIdx.x / kPieces; row < kRows; row += kThreads / kPieces) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to.at(row, piece))),
                     "l"(from + static_cast<std::int64_t>(first + row) * kDim + piece * 8),
                     "r"(first + static_cast<int>(row) < n ? 16 : 0)
                     : "memory");
    }
}

// Four matrices of 8 x 8; lane i names row i % 8 of matrix i / 8.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], const uint4& row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

__device__ __forceinline__ void load_transposed(unsigned (&to)[4], const uint4& row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// c += a * b, on a tensor core, by the whole warp.
__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two floats in one register, as bfloat16.
__device__ __forceinline__ unsigned packed(float low, float high) {
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}
