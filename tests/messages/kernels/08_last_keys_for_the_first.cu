// A causal query sees the last keys, as many as it should see of the first.
// Says: Row i of out sees the last i + 1 keys, and should see the first
// Task: attention
#include <cmath>
#include <cstddef>
template <int D>
__global__ void warp_query(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* out, float* lse, int total, int n, int causal) {
    constexpr int PER = D / 32;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= total) return;
    const size_t head = row / n * (size_t)n;
    float mine[PER], acc[PER] = {};
#pragma unroll
    for (int i = 0; i < PER; ++i) mine[i] = q[(size_t)row * D + i * 32 + lane] * rsqrtf((float)D);
    float m = -INFINITY, l = 0;
    const int last = n - 1, first = causal ? n - 1 - row % n : 0;
    for (int j = first; j <= last; ++j) {
        float s = 0;
#pragma unroll
        for (int i = 0; i < PER; ++i) s = fmaf(mine[i], __ldg(k + (head + j) * D + i * 32 + lane), s);
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
        const float mn = fmaxf(m, s), c = expf(m - mn), p = expf(s - mn);
        l = l * c + p;
#pragma unroll
        for (int i = 0; i < PER; ++i) acc[i] = acc[i] * c + p * __ldg(v + (head + j) * D + i * 32 + lane);
        m = mn;
    }
#pragma unroll
    for (int i = 0; i < PER; ++i) out[(size_t)row * D + i * 32 + lane] = acc[i] / l;
    if (lane == 0) lse[row] = m + logf(l);
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    int total = heads * n, blocks = (total + 2) / 3;
    switch (d) {
        case 32: warp_query<32><<<blocks, 96, 0, stream>>>(q, k, v, out, lse, total, n, causal); break;
        case 64: warp_query<64><<<blocks, 96, 0, stream>>>(q, k, v, out, lse, total, n, causal); break;
        default: warp_query<128><<<blocks, 96, 0, stream>>>(q, k, v, out, lse, total, n, causal);
    }
}
