// The second register of a fragment has the first one's row.
// Task: matmul_bf16
// Says: where the register of (row + 8, col) in each 16 x 16 holds that of (row, col) as well

#include <cuda_bf16.h>
__device__ unsigned two(const __nv_bfloat16* x, int row, int col, int rows, int cols) {
    __nv_bfloat16 zero = __float2bfloat16(0.f);
    __nv_bfloat162 v;
    v.x = row < rows && col < cols ? x[(size_t)row * cols + col] : zero;
    v.y = row < rows && col + 1 < cols ? x[(size_t)row * cols + col + 1] : zero;
    return *(unsigned*)&v;
}
__global__ void mm(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    int lane = threadIdx.x % 32, g = lane >> 2, t = lane & 3;
    int row = blockIdx.y * 64 + threadIdx.x / 32 * 16, col = blockIdx.x * 8;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        unsigned a0 = two(a, row + g, k0 + t * 2, m, k);
        unsigned a1 = two(a, row + g, k0 + t * 2, m, k);
        unsigned a2 = two(a, row + g, k0 + t * 2 + 8, m, k);
        unsigned a3 = two(a, row + g + 8, k0 + t * 2 + 8, m, k);
        unsigned b0 = two(b, col + g, k0 + t * 2, n, k);
        unsigned b1 = two(b, col + g, k0 + t * 2 + 8, n, k);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
            : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
    int r = row + g, q = col + t * 2;
    if (r < m && q < n) c[(size_t)r * n + q] = d0;
    if (r < m && q + 1 < n) c[(size_t)r * n + q + 1] = d1;
    if (r + 8 < m && q < n) c[(size_t)(r + 8) * n + q] = d2;
    if (r + 8 < m && q + 1 < n) c[(size_t)(r + 8) * n + q + 1] = d3;
}
extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k, cudaStream_t stream) {
    mm<<<dim3((n + 7) / 8, (m + 63) / 64), 128, 0, stream>>>(a, b, c, m, n, k);
}
