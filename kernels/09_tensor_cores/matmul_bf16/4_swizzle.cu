// Rung 4 of 8: ldmatrix, and an XOR in place of padding.
//
// On rung 3 a lane loads 4 bytes at a time: six loads for each two products. `ldmatrix.x4` brings four matrices of 8
// x 8 at once: lane i says where a row of 16 bytes lies, row i % 8 of matrix i / 8, and each lane gets the pair of
// each matrix that `mma.sync` wants from it. One instruction is a whole fragment of a, or two of b.
//
// The eight rows of a matrix are read in one turn if their 16 bytes lie in different banks. Padding did that, and
// cost an eighth of the tile. Without it a row is 128 bytes, all 32 banks, and pieces of one column would all lie in
// the same four. So piece p of row r lies at place p ^ r % 8: eight rows, eight places. Stores into a tile and
// loads from it must agree on that, and nothing else changes.
//
// On an H200, m=4096 n=4096 k=4096: 3_mma_sync 257 Tflop/s, 4_swizzle 280 Tflop/s.

#include <cuda_bf16.h>

#include <cstdint>

constexpr int kSize = 128, kDepth = 64;           // of a block's tiles: rows, and columns along k
constexpr int kWarpHeight = 64, kWarpWidth = 32;  // a warp's outputs
constexpr int kDown = kWarpHeight / 16, kAcross = kWarpWidth / 8;
constexpr int kWarpsAcross = kSize / kWarpWidth, kThreads = 32 * kWarpsAcross * kSize / kWarpHeight;
constexpr int kPiece = 8, kPieces = kDepth / kPiece;  // elements in 16 bytes, and how many of these in a row

struct alignas(128) Tile {
    uint4 pieces[kSize][kPieces];

    // Where piece `piece` of a row lies.
    __device__ uint4& at(int row, int piece) { return pieces[row][piece ^ row % 8]; }
};

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
        for (int i = 0; i < kCount; ++i) tile.at(row() + i * kStep, piece()) = pieces[i];
    }
};

// Four matrices of 8 x 8; lane i gives the address of row i % 8 of matrix i / 8.
__device__ void load_matrices(unsigned (&to)[4], const uint4& row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&row)))
                 : "memory");
}

// c += a * b, on a tensor core, by the whole warp.
__device__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
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
    __shared__ Tile tile_a, tile_b;
    int across = (n - 1) / kSize + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kSize, left = blockIdx.x % across * kSize;
    int warp = threadIdx.x / 32, y = warp / kWarpsAcross * kWarpHeight, x = warp % kWarpsAcross * kWarpWidth;
    // Which row our lane names: of a, two matrices above two others; of b, two side by side, and two below.
    int lane = threadIdx.x % 32;
    int row_a = y + lane % 16, row_b = x + lane / 16 * 8 + lane % 8, right_a = lane / 16, right_b = lane / 8 % 2;

    float sum[kDown][kAcross][4] = {};
    Share<kAligned> share_a(a, top, m, k), share_b(b, left, n, k);
    for (int first = 0; first < k; first += kDepth) {
        share_a.load(k);
        share_b.load(k);
        share_a.put(tile_a);
        share_b.put(tile_b);
        __syncthreads();
#pragma unroll
        for (int piece = 0; piece < kPieces; piece += 2) {
            unsigned of_a[kDown][4], of_b[kAcross / 2][4];
#pragma unroll
            for (int p = 0; p < kDown; ++p) load_matrices(of_a[p], tile_a.at(row_a + p * 16, piece + right_a));
#pragma unroll
            for (int q = 0; q < kAcross / 2; ++q) load_matrices(of_b[q], tile_b.at(row_b + q * 16, piece + right_b));
#pragma unroll
            for (int p = 0; p < kDown; ++p) {
#pragma unroll
                for (int q = 0; q < kAcross; ++q) {
                    multiply(sum[p][q], of_a[p], of_b[q / 2][q % 2 * 2], of_b[q / 2][q % 2 * 2 + 1]);
                }
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
