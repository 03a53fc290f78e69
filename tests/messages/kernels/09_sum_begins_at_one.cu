// The accumulator begins at 1.
// Task: matmul_bf16
// Says: Every element of c is 1 more than it should be: does each sum begin at 0?

#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void mm(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    __shared__ __nv_bfloat16 sa[32][16];
    __shared__ __nv_bfloat16 sb[32][16];
    __shared__ float sc[32][32];
    int top = blockIdx.y * 32, left = blockIdx.x * 32;
    int t = threadIdx.x, warp = t / 32;
    int wr = warp / 2 * 16, wc = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 1.0f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int i = t; i < 32 * 16; i += 128) {
            int r = i / 16, q = i % 16;
            sa[r][q] = top + r < m && k0 + q < k ? a[(size_t)(top + r) * k + k0 + q] : __float2bfloat16(0.f);
            sb[r][q] = left + r < n && k0 + q < k ? b[(size_t)(left + r) * k + k0 + q] : __float2bfloat16(0.f);
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, &sa[wr][0], 16);
        wmma::load_matrix_sync(fb, &sb[wc][0], 16);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    wmma::store_matrix_sync(&sc[wr][wc], acc, 32, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 32 * 32; i += 128) {
        int r = i / 32, q = i % 32;
        if (top + r < m && left + q < n) c[(size_t)(top + r) * n + left + q] = sc[r][q];
    }
}
extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k, cudaStream_t stream) {
    mm<<<dim3((n + 31) / 32, (m + 31) / 32), 128, 0, stream>>>(a, b, c, m, n, k);
}
