// Rung 3 of 8: the tensor core's own instruction, with fragments by hand.
//
// `mma.sync.m16n8k16` multiplies 16 x 16 by 16 x 8. Who holds what is written down: with group = lane / 4 and pair =
// lane % 4, a lane has of a fragment of
//
//     a   rows group and group + 8, columns 2 pair, 2 pair + 1, and both again 8 columns further on: 4 registers
//     b   column group, rows 2 pair, 2 pair + 1, and again 8 rows further on: 2 registers
//     c   rows group and group + 8, columns 2 pair, 2 pair + 1: 4 floats
//
// Two neighbours along k share a register, so a lane loads them at once: 4 bytes. As b lies as n x k, a column of b
// is a row in memory, like those of a. Rows of the tiles are 72 elements, 36 banks, so the 8 groups begin 4 banks
// apart, and 32 lanes read 32 banks. And as a lane knows which elements of c it holds, it stores them itself, two at
// a time, and only those that exist.
//
// On an H200, m=4096 n=4096 k=4096: 2_shared_tile 200 Tflop/s, 3_mma_sync 257 Tflop/s.

#include <cuda_bf16.h>

#include <cstdint>

constexpr int kSize = 128, kDepth = 64;           // of a block's tiles: rows, and columns along k
constexpr int kWarpHeight = 64, kWarpWidth = 32;  // a warp's outputs
constexpr int kDown = kWarpHeight / 16, kAcross = kWarpWidth / 8;
constexpr int kWarpsAcross = kSize / kWarpWidth, kThreads = 32 * kWarpsAcross * kSize / kWarpHeight;
constexpr int kPiece = 8, kPieces = kDepth / kPiece;  // elements in 16 bytes, and how many of these in a row

using Tile = __nv_bfloat16[kSize][kDepth + kPiece];

// Up to eight elements of a row; zeros behind them.
__device__ uint4 load_piece(const __nv_bfloat16* from, int count) {
    alignas(16) __nv_bfloat16 piece[kPiece] = {};
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
        if (i < count) piece[i] = from[i];
    }
    return *reinterpret_cast<const uint4*>(piece);
}

// Our thread's share of a tile, on its way through registers: a piece of every kStep-th row.
template <bool kAligned> struct Share {
    static constexpr int kStep = kThreads / kPieces, kCount = kSize / kStep;
    const __nv_bfloat16* from;
    int rows, cols;  // how many there are from our first element on
    uint4 pieces[kCount];

    static __device__ int row() { return threadIdx.x / kPieces; }
    static __device__ int piece() { return threadIdx.x % kPieces; }

    __device__ Share(const __nv_bfloat16* matrix, int top, int all_rows, int all_cols) {
        from = matrix + static_cast<std::int64_t>(top + row()) * all_cols + piece() * kPiece;
        rows = all_rows - top - row();
        cols = all_cols - piece() * kPiece;
    }

    // Outside of the matrix there are zeros.
    __device__ void load(std::int64_t stride) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const __nv_bfloat16* at = from + i * kStep * stride;
            pieces[i] = uint4{};
            if (i * kStep < rows && cols > 0) {
                pieces[i] = kAligned ? *reinterpret_cast<const uint4*>(at) : load_piece(at, cols);
            }
        }
        from += kDepth, cols -= kDepth;
    }

    __device__ void put(Tile& tile) const {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            *reinterpret_cast<uint4*>(&tile[row() + i * kStep][piece() * kPiece]) = pieces[i];
        }
    }
};

// Two neighbours of a row, in one register.
__device__ unsigned pair_at(const Tile& tile, int row, int col) {
    return *reinterpret_cast<const unsigned*>(&tile[row][col]);
}

// c += a * b, on a tensor core, by the whole warp.
__device__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Our elements of a warp's outputs, whose first is c[row][col].
__device__ void store(const float (&sum)[kDown][kAcross][4], float* c, int row, int col, int rows, int cols) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < kDown * 2; ++i) {
        int y = row + i * 8 + lane / 4;
#pragma unroll
        for (int q = 0; q < kAcross; ++q) {
            int x = col + q * 8 + lane % 4 * 2;
            float* to = c + static_cast<std::int64_t>(y) * cols + x;
            float2 both = {sum[i / 2][q][i % 2 * 2], sum[i / 2][q][i % 2 * 2 + 1]};
            if (cols % 2 == 0 && y < rows && x < cols) *reinterpret_cast<float2*>(to) = both;
            if (cols % 2 != 0 && y < rows && x < cols) to[0] = both.x;
            if (cols % 2 != 0 && y < rows && x + 1 < cols) to[1] = both.y;
        }
    }
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    __shared__ __align__(16) Tile tile_a, tile_b;
    int across = (n - 1) / kSize + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kSize, left = blockIdx.x % across * kSize;
    int warp = threadIdx.x / 32, y = warp / kWarpsAcross * kWarpHeight, x = warp % kWarpsAcross * kWarpWidth;
    int group = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;

    float sum[kDown][kAcross][4] = {};
    Share<kAligned> share_a(a, top, m, k), share_b(b, left, n, k);
    for (int first = 0; first < k; first += kDepth) {
        share_a.load(k);
        share_b.load(k);
        share_a.put(tile_a);
        share_b.put(tile_b);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; i += 16) {
            unsigned of_a[kDown][4], of_b[kAcross][2];
#pragma unroll
            for (int p = 0; p < kDown; ++p) {
#pragma unroll
                for (int r = 0; r < 4; ++r) {
                    of_a[p][r] = pair_at(tile_a, y + p * 16 + r % 2 * 8 + group, i + r / 2 * 8 + 2 * pair);
                }
            }
#pragma unroll
            for (int q = 0; q < kAcross; ++q) {
#pragma unroll
                for (int r = 0; r < 2; ++r) of_b[q][r] = pair_at(tile_b, x + q * 8 + group, i + r * 8 + 2 * pair);
            }
#pragma unroll
            for (int p = 0; p < kDown; ++p) {
#pragma unroll
                for (int q = 0; q < kAcross; ++q) multiply(sum[p][q], of_a[p], of_b[q]);
            }
        }
        __syncthreads();
    }
    store(sum, c, top + y, left + x, m, n);
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    int down = (m - 1) / kSize + 1, across = (n - 1) / kSize + 1;
    auto run = k % kPiece == 0 ? product<true> : product<false>;
    run<<<down * across, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
