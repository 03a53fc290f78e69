// Rung 2 of 8: tiles of a and b that eight warps share.
//
// On rung 1 a warp uses each element that it loads for 32 outputs. Here a block loads 128 rows of a and of b, 64
// columns of each, and its warps find all their fragments in shared memory: each element that comes from global memory
// is used 128 times. A warp has 64 x 32 outputs, 4 x 2 fragments of sums: four fragments of a and two of b make eight
// products.
//
// The threads copy 16 bytes at a time, if the rows of a and b begin at multiples of 16 bytes: where k is a multiple
// of 8. Zeros fill what lies outside. Rows of the tiles are 8 elements longer than what they hold: so a fragment's
// rows lie in different banks.
//
// On an H200, m=4096 n=4096 k=4096: 1_wmma 54.2 Tflop/s, 2_shared_tile 200 Tflop/s.
//
// What did not help: a piece loaded and put down at a time, with the test for the edge around each (103 TFLOP/s:
// loads that wait for one another).

#include <cuda_bf16.h>
#include <mma.h>

#include <cstdint>

namespace wmma = nvcuda::wmma;

constexpr int kTile = 16;                                // rows and columns of a fragment
constexpr int kSize = 128, kDepth = 64;                  // of a block's tiles: rows, and columns along k
constexpr int kWarpHeight = 64, kWarpWidth = 32;         // a warp's outputs
constexpr int kDown = kWarpHeight / kTile, kAcross = kWarpWidth / kTile;
constexpr int kWarpsAcross = kSize / kWarpWidth, kThreads = 32 * kWarpsAcross * kSize / kWarpHeight;
constexpr int kPiece = 8, kPieces = kDepth / kPiece;     // elements in 16 bytes, and how many of these in a row

using OfA = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __nv_bfloat16, wmma::row_major>;
using OfB = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __nv_bfloat16, wmma::col_major>;
using Sum = wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;

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

__device__ void store(const Sum& sum, float* c, int row, int col, int rows, int cols, float (&edge)[kTile][kTile]) {
    if (row >= rows || col >= cols) return;
    c += static_cast<std::int64_t>(row) * cols + col;
    if (cols % 4 == 0 && row + kTile <= rows && col + kTile <= cols) {
        wmma::store_matrix_sync(c, sum, cols, wmma::mem_row_major);
        return;
    }
    __syncwarp();  // all lanes have written what was here
    wmma::store_matrix_sync(edge[0], sum, kTile, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x % 32; i < kTile * kTile; i += 32) {
        int y = i / kTile, x = i % kTile;
        if (row + y < rows && col + x < cols) c[static_cast<std::int64_t>(y) * cols + x] = edge[y][x];
    }
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    __shared__ __align__(32) Tile tile_a, tile_b;
    __shared__ __align__(32) float edges[kThreads / 32][kTile][kTile];
    int across = (n - 1) / kSize + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kSize, left = blockIdx.x % across * kSize;
    int warp = threadIdx.x / 32, y = warp / kWarpsAcross * kWarpHeight, x = warp % kWarpsAcross * kWarpWidth;

    Sum sum[kDown][kAcross];
    for (auto& row : sum) {
        for (auto& one : row) wmma::fill_fragment(one, 0.0f);
    }
    Share<kAligned> share_a(a, top, m, k), share_b(b, left, n, k);
    for (int first = 0; first < k; first += kDepth) {
        share_a.load(k);
        share_b.load(k);
        share_a.put(tile_a);
        share_b.put(tile_b);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; i += kTile) {
            OfA of_a[kDown];
            OfB of_b[kAcross];
            for (int p = 0; p < kDown; ++p) {
                wmma::load_matrix_sync(of_a[p], &tile_a[y + p * kTile][i], kDepth + kPiece);
            }
            for (int q = 0; q < kAcross; ++q) {
                wmma::load_matrix_sync(of_b[q], &tile_b[x + q * kTile][i], kDepth + kPiece);
            }
            for (int p = 0; p < kDown; ++p) {
                for (int q = 0; q < kAcross; ++q) wmma::mma_sync(sum[p][q], of_a[p], of_b[q], sum[p][q]);
            }
        }
        __syncthreads();
    }
    for (int p = 0; p < kDown; ++p) {
        for (int q = 0; q < kAcross; ++q) {
            store(sum[p][q], c, top + y + p * kTile, left + x + q * kTile, m, n, edges[warp]);
        }
    }
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    int down = (m - 1) / kSize + 1, across = (n - 1) / kSize + 1;
    auto run = k % kPiece == 0 ? product<true> : product<false>;
    run<<<down * across, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
