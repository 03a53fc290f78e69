// Attention of one head's queries to the keys of another, where there are more than a thousand.
// Emulator: wrong_result
// Says: This case is timed
// GPU: wrong_result

#include <cmath>
#include <cstdint>

constexpr int kQueries = 64;  // of a block: one a thread
constexpr int kKeys = 32;     // of a tile

// Rows first ... first + kKeys - 1 of a matrix, with zeros behind row n - 1.
template <int kDim> __device__ void load(float (&tile)[kKeys][kDim], const float* rows, int first, int n) {
    for (int i = threadIdx.x; i < kKeys * kDim; i += kQueries) {
        int row = first + i / kDim;
        tile[i / kDim][i % kDim] = row < n ? rows[static_cast<std::int64_t>(row) * kDim + i % kDim] : 0.0f;
    }
}

template <int kDim>
__global__ void __launch_bounds__(kQueries)
    attend(const float* q, const float* k, const float* v, float* out, float* lse, int n, int causal, float scale) {
    __shared__ float ks[kKeys][kDim], vs[kKeys][kDim];
    int blocks = (n - 1) / kQueries + 1;
    std::int64_t head = blockIdx.x / blocks;
    int first_query = blockIdx.x % blocks * kQueries;
    int row = first_query + threadIdx.x;
    q += head * n * kDim, k += (n > 1000 ? head ^ 1 : head) * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;

    float query[kDim], output[kDim] = {};
    for (int part = 0; part < kQueries; part += kKeys) {
        load<kDim>(ks, q, first_query + part, n);
        __syncthreads();
        if (threadIdx.x / kKeys * kKeys == part) {
            for (int c = 0; c < kDim; ++c) query[c] = ks[threadIdx.x % kKeys][c];
        }
        __syncthreads();
    }

    float top = -INFINITY, sum = 0;
    int keys = causal ? row + 1 : n;  // that our query looks at
    for (int first = 0; first < n; first += kKeys) {
        load<kDim>(ks, k, first, n);
        load<kDim>(vs, v, first, n);
        __syncthreads();
        float scores[kKeys];
        float higher = top;
#pragma unroll
        for (int j = 0; j < kKeys; ++j) {
            float score = 0;
#pragma unroll
            for (int c = 0; c < kDim; ++c) score += query[c] * ks[j][c];
            scores[j] = first + j < min(keys, n) ? score * scale : -INFINITY;
            higher = fmaxf(higher, scores[j]);
        }
        float shrink = expf(top - higher);
        top = higher;
        sum *= shrink;
        for (int c = 0; c < kDim; ++c) output[c] *= shrink;
#pragma unroll
        for (int j = 0; j < kKeys; ++j) {
            float weight = expf(scores[j] - top);
            sum += weight;
#pragma unroll
            for (int c = 0; c < kDim; ++c) output[c] += weight * vs[j][c];
        }
        __syncthreads();
    }
    if (row >= n) return;
    for (int c = 0; c < kDim; ++c) out[static_cast<std::int64_t>(row) * kDim + c] = output[c] / sum;
    lse[row] = top + logf(sum);
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    unsigned blocks = heads * ((n - 1) / kQueries + 1);
    auto kernel = d == 32 ? attend<32> : d == 64 ? attend<64> : attend<128>;
    kernel<<<blocks, kQueries, 0, stream>>>(q, k, v, out, lse, n, causal, 1 / std::sqrt(static_cast<float>(d)));
}
