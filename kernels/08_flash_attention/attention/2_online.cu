// Rung 2 of 8: one kernel, and no scratch memory. A thread for each query.
//
// The softmax of lesson 06 in one pass, with the output instead of the sum alone: a thread walks along the keys and keeps
//
//     top       the largest score so far
//     sum       of exp(score - top)
//     output    of exp(score - top) * v, d numbers
//
// When a score exceeds top, sum and output shrink by exp(top - score), as if that had been top from the beginning. The
// n x n scores are never anywhere: memory grows with n * d only.
//
// But each multiplication takes a load of its own, though mostly from the caches. Rung 3 shares what is loaded.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 1_three_kernels 669 ms, 2_online 85.5 ms.
// On an H200, heads=128 n=4096 d=64 causal=1: 1_three_kernels 647 ms, 2_online 48.0 ms.

#include <cmath>
#include <cstdint>

constexpr int kThreads = 64;

template <int kDim>
__global__ void __launch_bounds__(kThreads)
    attend(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int causal, float scale) {
    std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;  // of all heads
    if (row >= static_cast<std::int64_t>(heads) * n) return;
    std::int64_t head = row / n;
    int keys = causal ? static_cast<int>(row % n) + 1 : n;
    float query[kDim], output[kDim] = {};
    for (int c = 0; c < kDim; ++c) query[c] = q[row * kDim + c];
    k += head * n * kDim, v += head * n * kDim;

    float top = -INFINITY, sum = 0;
    for (int key = 0; key < keys; ++key, k += kDim, v += kDim) {
        float score = 0;
        for (int c = 0; c < kDim; ++c) score += query[c] * k[c];
        score *= scale;
        float higher = fmaxf(top, score);
        float shrink = expf(top - higher), weight = expf(score - higher);
        top = higher;
        sum = sum * shrink + weight;
        for (int c = 0; c < kDim; ++c) output[c] = output[c] * shrink + weight * v[c];
    }
    for (int c = 0; c < kDim; ++c) out[row * kDim + c] = output[c] / sum;
    lse[row] = top + logf(sum);
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    unsigned blocks = (static_cast<std::int64_t>(heads) * n - 1) / kThreads + 1;
    auto kernel = d == 32 ? attend<32> : d == 64 ? attend<64> : attend<128>;
    kernel<<<blocks, kThreads, 0, stream>>>(q, k, v, out, lse, heads, n, causal, 1 / std::sqrt(static_cast<float>(d)));
}
