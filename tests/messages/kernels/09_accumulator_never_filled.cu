// The accumulator begins with what lay there before.
// Says: The accumulator `acc` of line
// Says: is never filled: a fragment begins with what lay there before
// Task: matmul_bf16
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;
using bf16 = __nv_bfloat16;
constexpr int WARPS = 4, LD = 24;
__global__ void __launch_bounds__(WARPS * 32) wm(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
    __shared__ __align__(32) bf16 as[16][LD], bs[WARPS * 16][LD];
    __shared__ __align__(32) float cs[WARPS][16][20];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, m0 = blockIdx.y * 16, n0 = blockIdx.x * 16 * WARPS;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int e = threadIdx.x; e < 16 * 16; e += WARPS * 32) {
            int r = e / 16, q = e % 16;
            as[r][q] = m0 + r < m && k0 + q < k ? a[(size_t)(m0 + r) * k + k0 + q] : __float2bfloat16(0.f);
        }
        for (int e = threadIdx.x; e < WARPS * 16 * 16; e += WARPS * 32) {
            int r = e / 16, q = e % 16;
            bs[r][q] = n0 + r < n && k0 + q < k ? b[(size_t)(n0 + r) * k + k0 + q] : __float2bfloat16(0.f);
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, &as[0][0], LD);
        wmma::load_matrix_sync(fb, &bs[warp * 16][0], LD);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    wmma::store_matrix_sync(&cs[warp][0][0], acc, 20, wmma::mem_row_major);
    __syncwarp();
    for (int e = lane; e < 256; e += 32) {
        int r = m0 + e / 16, q = n0 + warp * 16 + e % 16;
        if (r < m && q < n) c[(size_t)r * n + q] = cs[warp][e / 16][e % 16];
    }
}
extern "C" void matmul_bf16(const bf16* a, const bf16* b, float* c, int m, int n, int k, cudaStream_t stream) {
    wm<<<dim3((n + 63) / 64, (m + 15) / 16), WARPS * 32, 0, stream>>>(a, b, c, m, n, k);
}
