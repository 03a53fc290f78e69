// What grad_k adds up is multiplied with the key's row of q.
// Says: What grad_k adds up is multiplied with the key's own row of q, which stays the same, where the query's row of q belongs
// Task: attention_backward
#include <cmath>
#include <cstddef>
constexpr float kLog2e = 1.4426950408889634f;
__device__ __forceinline__ float warp_dot(const float* a, const float* b, int d) {
    float s = 0;
    for (int c = threadIdx.x; c < d; c += 32) s = fmaf(a[c], b[c], s);
#pragma unroll
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(0xffffffff, s, o);
    return s;
}
struct Args { const float *q, *k, *v, *o, *lse, *go; float *gq, *gk, *gv; int rows, n, d, causal; float scale; };
template <bool kQueries> __global__ void rows_of(const __grid_constant__ Args p) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= p.rows) return;
    const int at = row % p.n, d = p.d;
    const size_t head = row - at;
    float first[4] = {}, second[4] = {};
    const int from = kQueries || !p.causal ? 0 : at, to = kQueries && p.causal ? at + 1 : p.n;
    for (int other = from; other < to; ++other) {
        const size_t i = kQueries ? row : head + other, j = kQueries ? head + other : row;
        float s = warp_dot(p.q + i * d, p.k + j * d, d) * p.scale;
        float w = expf(s - p.lse[i]);
        float dp = warp_dot(p.go + i * d, p.v + j * d, d), delta = warp_dot(p.go + i * d, p.o + i * d, d);
        float ds = w * (dp - delta) * p.scale;
        for (int c = 0; c < d / 32; ++c) {
            size_t e = c * 32 + threadIdx.x;
            first[c] += ds * (kQueries ? p.k[j * d + e] : p.q[j * d + e]);
            if (!kQueries) second[c] += w * p.go[i * d + e];
        }
    }
    for (int c = 0; c < d / 32; ++c) {
        size_t e = (size_t)row * d + c * 32 + threadIdx.x;
        if constexpr (kQueries) p.gq[e] = first[c];
        else p.gk[e] = first[c], p.gv[e] = second[c];
    }
}
extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* out, const float* lse,
                                   const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n,
                                   int d, int causal, cudaStream_t stream) {
    Args a{q, k, v, out, lse, grad_out, grad_q, grad_k, grad_v, heads * n, n, d, causal, 1.f / sqrtf((float)d)};
    rows_of<true><<<(a.rows + 2) / 3, dim3(32, 3), 0, stream>>>(a);
    rows_of<false><<<(a.rows + 2) / 3, dim3(32, 3), 0, stream>>>(a);
}
