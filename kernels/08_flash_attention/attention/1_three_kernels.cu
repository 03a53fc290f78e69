// Rung 1 of 8: three kernels through memory, one for each line of the definition.
//
//     s = q k^T / sqrt(d)      a thread for each of n x n scores
//     p = softmax(s)           a thread for each row; what is causal ends at the diagonal
//     out = p v                a thread for each of n x d outputs
//
// The first kernel writes n x n floats, the second reads them three times and writes them once, and of the third each is
// read by d threads. For 4 x 32 heads of 4096 that is 8.6 GB of scratch memory, for inputs of 0.4 GB. Rung 2 needs none.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 1_three_kernels 669 ms, math 30.2 ms, memory-efficient 15.3 ms.
// Of torch's, `math` takes the same three steps with its fast matrix product (SDPBackend.MATH, in 19.5 GB), and
// `memory-efficient` is one kernel (SDPBackend.EFFICIENT_ATTENTION).

#include <cmath>
#include <cstdint>

constexpr int kThreads = 128;

// s[row][key] of one head after the other; n x n threads for each.
__global__ void scores(const float* q, const float* k, float* s, int heads, int n, int d, float scale) {
    std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    std::int64_t row = i / n;  // of all heads
    int key = i % n;
    if (row >= static_cast<std::int64_t>(heads) * n) return;
    const float* query = q + row * d;
    const float* other = k + (row / n * n + key) * d;
    float sum = 0;
    for (int c = 0; c < d; ++c) sum += query[c] * other[c];
    s[i] = sum * scale;
}

__global__ void softmax(float* s, float* lse, int heads, int n, int causal) {
    std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (row >= static_cast<std::int64_t>(heads) * n) return;
    int keys = causal ? static_cast<int>(row % n) + 1 : n;  // later keys do not count
    s += row * n;
    float top = -INFINITY, sum = 0;
    for (int key = 0; key < keys; ++key) top = fmaxf(top, s[key]);
    for (int key = 0; key < keys; ++key) sum += expf(s[key] - top);
    for (int key = 0; key < n; ++key) s[key] = key < keys ? expf(s[key] - top) / sum : 0.0f;
    lse[row] = top + logf(sum);
}

__global__ void weighted_sums(const float* p, const float* v, float* out, int heads, int n, int d) {
    std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    std::int64_t row = i / d;
    int c = i % d;
    if (row >= static_cast<std::int64_t>(heads) * n) return;
    p += row * n;
    v += row / n * n * d + c;
    float sum = 0;
    for (int key = 0; key < n; ++key) sum += p[key] * v[static_cast<std::int64_t>(key) * d];
    out[i] = sum;
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    auto blocks = [](std::int64_t threads) { return static_cast<unsigned>((threads - 1) / kThreads + 1); };
    std::int64_t rows = static_cast<std::int64_t>(heads) * n;
    float* s;
    cudaMallocAsync(&s, rows * n * sizeof(float), stream);
    scores<<<blocks(rows * n), kThreads, 0, stream>>>(q, k, s, heads, n, d, 1 / std::sqrt(static_cast<float>(d)));
    softmax<<<blocks(rows), kThreads, 0, stream>>>(s, lse, heads, n, causal);
    weighted_sums<<<blocks(rows * d), kThreads, 0, stream>>>(s, v, out, heads, n, d);
    cudaFreeAsync(s, stream);
}
