// Says: What c holds is right for a where the register of (row, col) alone has row lane % 4 and pair lane / 4
// Task: matmul_bf16
// Row and pair of one register are swapped.
#include <cuda_bf16.h>
#include <cstdint>
struct Acc { float x[4] = {}; };
__device__ inline void mma(Acc& d, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
        : "+f"(d.x[0]), "+f"(d.x[1]), "+f"(d.x[2]), "+f"(d.x[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__global__ void mm(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    const int g = threadIdx.x >> 2, t = threadIdx.x & 3, r0 = blockIdx.y * 16, c0 = blockIdx.x * 8;
    auto two = [&](const __nv_bfloat16* p, int row, int rows, int col) -> uint32_t {
        __nv_bfloat162 v = __floats2bfloat162_rn(0.f, 0.f);
        if (row < rows) { if (col < k) v.x = p[(size_t)row * k + col]; if (col + 1 < k) v.y = p[(size_t)row * k + col + 1]; }
        return reinterpret_cast<uint32_t&>(v);
    };
    Acc d;
    for (int p = 0; p < k; p += 16) {
        uint32_t fa[4] = {two(a, r0 + t, m, p + 2 * g), two(a, r0 + g + 8, m, p + 2 * t), two(a, r0 + g, m, p + 2 * t + 8), two(a, r0 + g + 8, m, p + 2 * t + 8)};
        uint32_t fb[2] = {two(b, c0 + g, n, p + 2 * t), two(b, c0 + g, n, p + 2 * t + 8)};
        mma(d, fa, fb);
    }
    for (int i = 0; i < 4; ++i) { int r = r0 + g + (i >> 1) * 8, q = c0 + 2 * t + (i & 1); if (r < m && q < n) c[(size_t)r * n + q] = d.x[i]; }
}
extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k, cudaStream_t stream) { mm<<<dim3((n + 7) / 8, (m + 15) / 16), 32, 0, stream>>>(a, b, c, m, n, k); }
