// The first number of each pair of k stands for the second, too.
// Task: attention_bf16
// Says: is right for k[i - 1] in the place of k[i], of each row, where i % 2 is 1

#include <cuda_bf16.h>
__global__ void attn(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, float* lse, int n, int d, int causal) {
    __shared__ float qs[4][128];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    int i = blockIdx.x * 4 + w;
    if (i >= n) return;
    size_t base = (size_t)blockIdx.y * n * d;
    for (int c = lane; c < d; c += 32) qs[w][c] = __bfloat162float(q[base + (size_t)i * d + c]);
    __syncwarp();
    float scale = rsqrtf((float)d), m = -INFINITY, l = 0, o[4] = {0, 0, 0, 0};
    int last = causal ? i : n - 1;
    for (int j0 = 0; j0 <= last; j0 += 32) {
        int j = j0 + lane;
        float s = -INFINITY;
        if (j <= last) {
            s = 0;
            for (int c = 0; c < d; c += 2) {
                float2 kk = __bfloat1622float2(*(const __nv_bfloat162*)(k + base + (size_t)j * d + c));
                s += qs[w][c] * kk.x + qs[w][c + 1] * kk.x;
            }
            s *= scale;
        }
        float mx = s;
        for (int x = 16; x; x >>= 1) mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, x));
        float mn = fmaxf(m, mx), f = __expf(m - mn), p = __expf(s - mn), ps = p;
        for (int x = 16; x; x >>= 1) ps += __shfl_xor_sync(~0u, ps, x);
        l = l * f + ps;
        m = mn;
        for (int e = 0; e < d / 32; e++) o[e] *= f;
        for (int x = 0; x < 32 && j0 + x <= last; x++) {
            float px = __shfl_sync(~0u, p, x);
            for (int e = 0; e < d / 32; e++) o[e] += px * __bfloat162float(v[base + (size_t)(j0 + x) * d + e * 32 + lane]);
        }
    }
    for (int e = 0; e < d / 32; e++) out[base + (size_t)i * d + e * 32 + lane] = o[e] / l;
    if (lane == 0) lse[(size_t)blockIdx.y * n + i] = m + __logf(l);
}
extern "C" void attention_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    attn<<<dim3((n + 3) / 4, heads), 128, 0, stream>>>(q, k, v, out, lse, n, d, causal);
}
