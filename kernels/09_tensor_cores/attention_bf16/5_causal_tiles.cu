// Rung 5 of 6: causal means half.
//
// A query sees the keys before it, so half of all tiles hold nothing that may be seen. A block stops behind its last
// query, a warp computes nothing where all keys are behind its own, and only tiles across the diagonal are compared
// with it, element by element. The last queries take longest: their blocks begin first, so that short ones fill the
// gaps at the end.
//
// Causal, half of the work counts:
// On an H200, heads=64 n=4096 d=128 causal=1: 4_more_queries 129 Tflop/s, 5_causal_tiles 254 Tflop/s.
// On an H200, heads=64 n=4096 d=64 causal=1: 4_more_queries 98.2 Tflop/s, 5_causal_tiles 207 Tflop/s.
// On an H200, heads=64 n=4096 d=128 causal=0: 4_more_queries 262 Tflop/s, 5_causal_tiles 269 Tflop/s.

#include <cmath>
#include <cstdint>

#include "../fragments.cuh"

constexpr unsigned kAll = 0xffffffff;
constexpr int kWarps = 4, kThreads = 32 * kWarps;           // of a block
constexpr int kDown = 2, kOurs = 16 * kDown;                // fragments of queries, and queries, of a warp
constexpr int kQueries = kWarps * kOurs, kKeys = 64;        // of a tile
constexpr int kStages = 2;                                  // tiles of k and v in shared memory

template <int kDim> struct Tiles {
    Tile<kQueries, kDim> q;
    struct {
        Tile<kKeys, kDim> k, v;
    } stages[kStages];
};

// The softmax of two rows, 8 apart, of which four lanes have a share each.
struct Running {
    float top[2] = {-INFINITY, -INFINITY}, sum[2] = {};

    // Scales the scores, raises the tops to the largest so far, and shrinks what was summed up. Each row has a key in
    // the first tile, so its top is finite from then on.
    template <int kScores, int kOutputs>
    __device__ __forceinline__ void rescale(float (&scores)[kScores][4], float (&output)[kOutputs][4], float scale) {
        float largest[2] = {-INFINITY, -INFINITY};
#pragma unroll
        for (int i = 0; i < kScores * 4; ++i) {
            scores[i / 4][i % 4] *= scale;
            largest[i / 2 % 2] = fmaxf(largest[i / 2 % 2], scores[i / 4][i % 4]);
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            largest[r] = fmaxf(largest[r], __shfl_xor_sync(kAll, largest[r], 1));
            largest[r] = fmaxf(largest[r], __shfl_xor_sync(kAll, largest[r], 2));
            float higher = fmaxf(top[r], largest[r]), shrink = expf(top[r] - higher);
            top[r] = higher;
            sum[r] *= shrink;
#pragma unroll
            for (int j = 0; j < kOutputs; ++j) output[j][2 * r] *= shrink, output[j][2 * r + 1] *= shrink;
        }
    }

    // Scores become weights, in fragments of a.
    template <int kScores>
    __device__ __forceinline__ void weigh(unsigned (&weights)[kScores / 2][4], float (&scores)[kScores][4]) {
#pragma unroll
        for (int j = 0; j < kScores; ++j) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                scores[j][i] = expf(scores[j][i] - top[i / 2]);
                sum[i / 2] += scores[j][i];
            }
            for (int r = 0; r < 2; ++r) weights[j / 2][j % 2 * 2 + r] = packed(scores[j][2 * r], scores[j][2 * r + 1]);
        }
    }
};

// Scores of keys that a query does not see become -inf. `first_key` is our first one, `query` our upper row's.
template <int kScores>
__device__ __forceinline__ void mask(float (&scores)[kScores][4], int first_key, int query, int n, int causal) {
#pragma unroll
    for (int i = 0; i < kScores * 4; ++i) {
        int count = causal ? min(n, query + i / 2 % 2 * 8 + 1) : n;
        if (first_key + i / 4 * 8 + i % 2 >= count) scores[i / 4][i % 4] = -INFINITY;
    }
}

template <int kDim>
__global__ void __launch_bounds__(kThreads, 2)
    attend(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, float* lse, int heads,
           int n, int causal, float scale) {
    extern __shared__ uint4 shared[];
    auto& tiles = *reinterpret_cast<Tiles<kDim>*>(shared);
    int blocks = (n - 1) / kQueries + 1;
    std::int64_t head = causal ? blockIdx.x % heads : blockIdx.x / blocks;
    int first_query = (causal ? blocks - 1 - blockIdx.x / heads : blockIdx.x % blocks) * kQueries;
    unsigned lane = threadIdx.x % 32, our_row = threadIdx.x / 32 * kOurs;
    int ours = first_query + our_row;                              // the first query of our warp
    int keys = causal ? min(n, first_query + kQueries) : n;        // that the block needs,
    int our_keys = causal ? min(n, ours + kOurs) : n;              // our warp,
    int all_keys = causal ? min(n, ours + 1) : n;                  // and all our queries
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;

    auto start = [&](int first) {  // and closes the group, if there is nothing to copy, too
        auto& stage = tiles.stages[first / kKeys % kStages];
        if (first < keys) start_copy<kThreads>(stage.k, k, first, n), start_copy<kThreads>(stage.v, v, first, n);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    start_copy<kThreads>(tiles.q, q, first_query, n);
    for (int step = 0; step < kStages - 1; ++step) start(step * kKeys);
    Running running[kDown];
    float output[kDown][kDim / 8][4] = {};
    for (int first = 0; first < keys; first += kKeys) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
        __syncthreads();
        start(first + (kStages - 1) * kKeys);
        if (first >= our_keys) continue;
        auto& stage = tiles.stages[first / kKeys % kStages];
        float scores[kDown][kKeys / 8][4] = {};
#pragma unroll
        for (int i = 0; i < kDim / 16; ++i) {
            unsigned of_q[kDown][4], of_k[4];
            for (int p = 0; p < kDown; ++p) {
                load_matrices(of_q[p], tiles.q.at(our_row + p * 16 + lane % 16, 2 * i + lane / 16));
            }
#pragma unroll
            for (int j = 0; j < kKeys / 16; ++j) {
                load_matrices(of_k, stage.k.at(j * 16 + lane / 16 * 8 + lane % 8, 2 * i + lane / 8 % 2));
                for (int p = 0; p < kDown; ++p) {
                    multiply(scores[p][2 * j], of_q[p], of_k[0], of_k[1]);
                    multiply(scores[p][2 * j + 1], of_q[p], of_k[2], of_k[3]);
                }
            }
        }
        unsigned weights[kDown][kKeys / 16][4];
#pragma unroll
        for (int p = 0; p < kDown; ++p) {
            int query = ours + p * 16 + lane / 4;
            if (first + kKeys > all_keys) mask(scores[p], first + lane % 4 * 2, query, n, causal);
            running[p].rescale(scores[p], output[p], scale);
            running[p].weigh(weights[p], scores[p]);
        }
#pragma unroll
        for (int i = 0; i < kKeys / 16; ++i) {
#pragma unroll
            for (int j = 0; j < kDim / 16; ++j) {
                unsigned of_v[4];
                load_transposed(of_v, stage.v.at(i * 16 + lane % 16, 2 * j + lane / 16));
                for (int p = 0; p < kDown; ++p) {
                    multiply(output[p][2 * j], weights[p][i], of_v[0], of_v[1]);
                    multiply(output[p][2 * j + 1], weights[p][i], of_v[2], of_v[3]);
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2 * kDown; ++r) {
        float sum = running[r / 2].sum[r % 2];
        sum += __shfl_xor_sync(kAll, sum, 1);
        sum += __shfl_xor_sync(kAll, sum, 2);
        int row = ours + r * 8 + lane / 4;
        if (row >= n) continue;
        if (lane % 4 == 0) lse[row] = running[r / 2].top[r % 2] + logf(sum);
#pragma unroll
        for (int j = 0; j < kDim / 8; ++j) {
            const float* two = &output[r / 2][j][r % 2 * 2];
            auto to = reinterpret_cast<float2*>(out + static_cast<std::int64_t>(row) * kDim + j * 8 + lane % 4 * 2);
            *to = {two[0] / sum, two[1] / sum};
        }
    }
}

template <int kDim>
void launch(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, float* lse, int heads,
            int n, int causal, cudaStream_t stream) {
    int blocks = heads * ((n - 1) / kQueries + 1), bytes = sizeof(Tiles<kDim>);
    float scale = 1 / std::sqrt(static_cast<float>(kDim));
    cudaFuncSetAttribute(attend<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    attend<kDim><<<blocks, kThreads, bytes, stream>>>(q, k, v, out, lse, heads, n, causal, scale);
}

extern "C" void attention_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out,
                               float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    auto run = d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, heads, n, causal, stream);
}
