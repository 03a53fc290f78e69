// What the other weights lose when one grows is forgotten: nothing is subtracted from the gradient of a weight.
// Expect: wrong_result in attention_backward

#include <cmath>
#include <cstdint>

constexpr int kThreads = 64, kMostDim = 128;

struct Share {
    float weight, of_score;
};

// The weight of one key for one query, and d(loss) / d(score).
__device__ Share share(const float* query, const float* key, const float* value, const float* out,
                       const float* grad_out, float lse, int d, float scale) {
    float score = 0, of_weight = 0;
    for (int c = 0; c < d; ++c) {
        score += query[c] * key[c];
        of_weight += grad_out[c] * value[c];
    }
    float weight = expf(score * scale - lse);
    return {weight, weight * of_weight * scale};
}

// A thread for each query of each head.
__global__ void of_queries(const float* q, const float* k, const float* v, const float* out, const float* lse,
                           const float* grad_out, float* grad_q, int heads, int n, int d, int causal,
                           float scale) {
    std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (row >= static_cast<std::int64_t>(heads) * n) return;
    std::int64_t first = row / n * n;  // of this head
    int query = row - first;
    float sum[kMostDim] = {};
    for (int key = 0; key < (causal ? query + 1 : n); ++key) {
        const float *at_k = k + (first + key) * d, *at_v = v + (first + key) * d;
        Share s = share(q + row * d, at_k, at_v, out + row * d, grad_out + row * d, lse[row], d, scale);
        for (int c = 0; c < d; ++c) sum[c] += s.of_score * at_k[c];
    }
    for (int c = 0; c < d; ++c) grad_q[row * d + c] = sum[c];
}

// A thread for each key of each head.
__global__ void of_keys(const float* q, const float* k, const float* v, const float* out, const float* lse,
                        const float* grad_out, float* grad_k, float* grad_v, int heads, int n, int d, int causal,
                        float scale) {
    std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (row >= static_cast<std::int64_t>(heads) * n) return;
    std::int64_t first = row / n * n;  // of this head
    int key = row - first;
    float sum_k[kMostDim] = {}, sum_v[kMostDim] = {};
    for (int query = causal ? key : 0; query < n; ++query) {
        std::int64_t at = first + query;
        Share s = share(q + at * d, k + row * d, v + row * d, out + at * d, grad_out + at * d, lse[at], d, scale);
        for (int c = 0; c < d; ++c) sum_k[c] += s.of_score * q[at * d + c];
        for (int c = 0; c < d; ++c) sum_v[c] += s.weight * grad_out[at * d + c];
    }
    for (int c = 0; c < d; ++c) grad_k[row * d + c] = sum_k[c];
    for (int c = 0; c < d; ++c) grad_v[row * d + c] = sum_v[c];
}

extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* out, const float* lse,
                                   const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n,
                                   int d, int causal, cudaStream_t stream) {
    unsigned blocks = (static_cast<std::int64_t>(heads) * n - 1) / kThreads + 1;
    float scale = 1 / std::sqrt(static_cast<float>(d));
    of_queries<<<blocks, kThreads, 0, stream>>>(q, k, v, out, lse, grad_out, grad_q, heads, n, d, causal, scale);
    of_keys<<<blocks, kThreads, 0, stream>>>(q, k, v, out, lse, grad_out, grad_k, grad_v, heads, n, d, causal, scale);
}
