// Says: What c holds is right where each row of a 16 x 16 tile of b begins 8 elements behind the last: the leading dimension of load_matrix_sync
// Task: matmul_bf16
// The leading dimension is half of what it is.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void mm(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    __shared__ __align__(32) __nv_bfloat16 sa[16][16], sb[16][16];
    __shared__ __align__(32) float sc[16][16];
    const int r0 = blockIdx.y * 16, c0 = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int p = 0; p < k; p += 16) {
        for (int e = threadIdx.x; e < 256; e += 32) {
            int r = e >> 4, q = e & 15;
            sa[r][q] = r0 + r < m && p + q < k ? a[(size_t)(r0 + r) * k + p + q] : __float2bfloat16(0.f);
            sb[r][q] = c0 + r < n && p + q < k ? b[(size_t)(c0 + r) * k + p + q] : __nv_bfloat16(0.f);
        }
        __syncwarp();
        wmma::load_matrix_sync(fa, &sa[0][0], 16);
        wmma::load_matrix_sync(fb, &sb[0][0], 8);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncwarp();
    }
    wmma::store_matrix_sync(&sc[0][0], acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x; e < 256; e += 32) { int r = r0 + e / 16, q = c0 + e % 16; if (r < m && q < n) c[(size_t)r * n + q] = sc[e / 16][e % 16]; }
}
extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k, cudaStream_t stream) { mm<<<dim3((n + 15) / 16, (m + 15) / 16), 32, 0, stream>>>(a, b, c, m, n, k); }
