// A block's row of tiles and its column are swapped.
// Task: matmul_bf16
// Says: a block's row and column are swapped. Its row is `blockIdx.y`
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda::wmma;
constexpr int H = 32, W = 64;  // of a block's tile of c: two warps down, four across

__global__ void product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    __shared__ __align__(32) __nv_bfloat16 as[8][16][16], bs[8][16][16];
    __shared__ __align__(32) float cs[8][16][16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, across = (n - 1) / W + 1;
    int top = blockIdx.x % across * H + warp / 4 * 16, left = blockIdx.x / across * W + warp % 4 * 16;
    fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> of_a;
    fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> of_b;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int first = 0; first < k; first += 16) {
        for (int i = lane; i < 256; i += 32) {
            int y = i / 16, x = first + i % 16;
            as[warp][y][i % 16] = top + y < m && x < k ? a[(top + y) * k + x] : __float2bfloat16(0);
            bs[warp][y][i % 16] = left + y < n && x < k ? b[(left + y) * k + x] : __float2bfloat16(0);
        }
        __syncwarp();
        load_matrix_sync(of_a, as[warp][0], 16);
        load_matrix_sync(of_b, bs[warp][0], 16);
        mma_sync(sum, of_a, of_b, sum);
        __syncwarp();
    }
    store_matrix_sync(cs[warp][0], sum, 16, mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
        int row = top + i / 16, col = left + i % 16;
        if (row < m && col < n) c[row * n + col] = cs[warp][i / 16][i % 16];
    }
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    product<<<((m - 1) / H + 1) * ((n - 1) / W + 1), 256, 0, stream>>>(a, b, c, m, n, k);
}
