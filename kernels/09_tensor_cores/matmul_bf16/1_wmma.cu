// Rung 1 of 8: a warp, 2 x 2 tiles of 16 x 16, on the tensor cores.
//
// A tensor core multiplies two small matrices and adds the product to a third one, in one instruction of a whole
// warp. Its operands are fragments: matrices of 16 x 16 whose elements are spread over the registers of the 32
// lanes, and nvcuda::wmma knows how. b lies as n x k, so a column of the product's second factor is a row in memory:
// col_major.
//
// A warp with one tile of c loads two fragments for each product. With 2 x 2 tiles it loads four for four: a fragment
// of a serves both tiles of its row, one of b both of its column.
//
// load_matrix_sync wants rows that begin at a multiple of 16 bytes, and whole tiles. What hangs over an edge goes
// through shared memory, with zeros around it: they add nothing to the sum.
//
// On an H200, m=4096 n=4096 k=4096: 1_wmma 54.2 Tflop/s, cuBLAS 758 Tflop/s.
// mma.sync alone, in registers, has 615 (`ladder bench 09` measures it).
//
// Tried: one tile a warp, the same otherwise (30 Tflop/s), and nothing helps that: a loop without the test for edges,
// unrolled two or four times, 16 or 32 warps in a block, the next fragments loaded before this product (29 to 30). 2 x 1
// tiles have 39, 4 x 4 have 115 Tflop/s.

#include <cuda_bf16.h>
#include <mma.h>

#include <cstdint>

namespace wmma = nvcuda::wmma;

constexpr int kTile = 16;                          // rows and columns of a fragment
constexpr int kTiles = 2, kSize = kTiles * kTile;  // a warp's outputs: so many tiles down and across
constexpr int kDown = 4, kAcross = 2;              // warps of a block
constexpr int kThreads = 32 * kDown * kAcross;

using OfA = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __nv_bfloat16, wmma::row_major>;
using OfB = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __nv_bfloat16, wmma::col_major>;
using Sum = wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;

// The tile whose first element is matrix[row][col]; zeros outside of rows x cols. `edge` is our warp's own.
template <class Fragment>
__device__ void load(Fragment& fragment, const __nv_bfloat16* matrix, int row, int col, int rows, int cols,
                     __nv_bfloat16 (&edge)[kTile][kTile]) {
    matrix += static_cast<std::int64_t>(row) * cols + col;
    if (cols % 8 == 0 && row + kTile <= rows && col + kTile <= cols) {
        wmma::load_matrix_sync(fragment, matrix, cols);
        return;
    }
    __syncwarp();  // all lanes have the fragment that was here
    for (int i = threadIdx.x % 32; i < kTile * kTile; i += 32) {
        int y = i / kTile, x = i % kTile;
        bool inside = row + y < rows && col + x < cols;
        edge[y][x] = inside ? matrix[static_cast<std::int64_t>(y) * cols + x] : __float2bfloat16(0);
    }
    __syncwarp();
    wmma::load_matrix_sync(fragment, edge[0], kTile);
}

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

__global__ void __launch_bounds__(kThreads)
    product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    __shared__ __align__(32) __nv_bfloat16 edges[kThreads / 32][kTile][kTile];
    __shared__ __align__(32) float last_edges[kThreads / 32][kTile][kTile];
    int warp = threadIdx.x / 32, across = (n - 1) / (kAcross * kSize) + 1;
    int row = (blockIdx.x / across * kDown + warp / kAcross) * kSize;
    int col = (blockIdx.x % across * kAcross + warp % kAcross) * kSize;
    if (row >= m || col >= n) return;  // the whole warp

    OfA of_a[kTiles];
    OfB of_b[kTiles];
    Sum sum[kTiles][kTiles];
    for (auto& tiles : sum) {
        for (auto& tile : tiles) wmma::fill_fragment(tile, 0.0f);
    }
    for (int first = 0; first < k; first += kTile) {
        for (int i = 0; i < kTiles; ++i) {
            load(of_a[i], a, row + i * kTile, first, m, k, edges[warp]);
            load(of_b[i], b, col + i * kTile, first, n, k, edges[warp]);
        }
        for (int y = 0; y < kTiles; ++y) {
            for (int x = 0; x < kTiles; ++x) wmma::mma_sync(sum[y][x], of_a[y], of_b[x], sum[y][x]);
        }
    }
    for (int y = 0; y < kTiles; ++y) {
        for (int x = 0; x < kTiles; ++x) {
            store(sum[y][x], c, row + y * kTile, col + x * kTile, m, n, last_edges[warp]);
        }
    }
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    int down = (m - 1) / (kDown * kSize) + 1, across = (n - 1) / (kAcross * kSize) + 1;
    product<<<down * across, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
