// Rung 3 of 8: tiles of k and v in shared memory.
//
// The 64 queries of a block need the same keys and values. Its threads load 32 of each together, neighbours next to each
// other, and each then walks along them: k and v are loaded n / 64 times, and not by every thread for itself. That is
// what FlashAttention does (Dao et al. 2022, algorithm 1), with the loop over the queries outside.
//
// - The queries go through shared memory, too: a thread that reads its own row would leave most of each sector unused.
// - The maximum is of a tile, so that sum and output shrink once for 32 keys.
// - All threads reach all barriers, also those whose query lies behind the last one: they load, and store nothing.
//
// A multiplication still takes a float from shared memory, and for d = 128 a thread has more numbers than registers.
// Rung 4 changes both.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 2_online 85.5 ms, 3_shared_tiles 29.7 ms, math 30.2 ms.
// On an H200, heads=128 n=4096 d=64 causal=1: 2_online 48.0 ms, 3_shared_tiles 29.5 ms.
// Causal takes as long: the tiles that no query needs are computed, too.

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
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;

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
