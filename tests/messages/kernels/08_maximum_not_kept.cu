// Says: Each row of out is that of v for the last key that its query sees, and no other: what is added up is lost at
// Says: each step, as where the new maximum is not kept for the next key, or `=` stands for `+=`.
// The largest score so far is forgotten.
#include <cuda_runtime.h>
#include <cmath>
template <int D>
__global__ void attend(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int causal) {
    long long id = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= (long long)heads * n) return;
    int head = id / n, row = id % n;
    const float scale = rsqrtf((float)D);
    float qr[D], acc[D];
    for (int c = 0; c < D; ++c) { qr[c] = q[id * D + c]; acc[c] = 0.f; }
    float top = -INFINITY, sum = 0.f;
    int last = causal ? row + 1 : n;
    for (int j = 0; j < last; ++j) {
        const float* kr = k + ((long long)head * n + j) * D;
        const float* vr = v + ((long long)head * n + j) * D;
        float s = 0.f;
        for (int c = 0; c < D; ++c) s += qr[c] * kr[c];
        s *= scale;
        float larger = fmaxf(top, s);
        float shrink = expf(top - larger), w = expf(s - larger);
        sum = sum * shrink + w;
        for (int c = 0; c < D; ++c) acc[c] = acc[c] * shrink + w * vr[c];
    }
    for (int c = 0; c < D; ++c) out[id * D + c] = acc[c] / sum;
    lse[id] = top + logf(sum);
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    unsigned blocks = ((long long)heads * n + 63) / 64;
    switch (d) {
        case 32: attend<32><<<blocks, 64, 0, stream>>>(q, k, v, out, lse, heads, n, causal); break;
        case 64: attend<64><<<blocks, 64, 0, stream>>>(q, k, v, out, lse, heads, n, causal); break;
        case 128: attend<128><<<blocks, 64, 0, stream>>>(q, k, v, out, lse, heads, n, causal); break;
    }
}
