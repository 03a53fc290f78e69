// Rung 3 of 6: stages.
//
// The next tile of k and v is on its way to shared memory while this one is used: cp.async, as in matmul_bf16. With
// two places for tiles, one barrier a tile is enough.
//
// On an H200, heads=64 n=4096 d=128 causal=0: 2_ldmatrix 111 Tflop/s, 3_stages 237 Tflop/s.
// On an H200, heads=64 n=4096 d=64 causal=0: 2_ldmatrix 108 Tflop/s, 3_stages 193 Tflop/s.

#include <cmath>
#include <cstdint>

#include "../fragments.cuh"

constexpr unsigned kAll = 0xffffffff;
constexpr int kWarps = 4, kThreads = 32 * kWarps;           // of a block
constexpr int kOurs = 16;                                   // queries of a warp
constexpr int kQueries = kWarps * kOurs, kKeys = 64;        // of a tile
constexpr int kStages = 2;                                  // tiles of k and v in shared memory

template <int kDim> struct Stage {
    Tile<kKeys, kDim> k, v;
};

// Fragments of our queries; zeros behind the last one.
template <int kDim>
__device__ void load_queries(unsigned (&of_q)[kDim / 16][4], const __nv_bfloat16* q, int first, int n) {
#pragma unroll
    for (int i = 0; i < kDim / 16 * 4; ++i) {
        int row = first + i % 2 * 8 + threadIdx.x % 32 / 4, col = i / 4 * 16 + i / 2 % 2 * 8 + threadIdx.x % 4 * 2;
        auto from = reinterpret_cast<const unsigned*>(q + static_cast<std::int64_t>(row) * kDim + col);
        of_q[i / 4][i % 4] = row < n ? *from : 0;
    }
}

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
    attend(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, float* lse, int n,
           int causal, float scale) {
    extern __shared__ uint4 shared[];
    auto stages = reinterpret_cast<Stage<kDim>*>(shared);
    int blocks = (n - 1) / kQueries + 1;
    std::int64_t head = blockIdx.x / blocks;
    unsigned lane = threadIdx.x % 32;
    int ours = blockIdx.x % blocks * kQueries + threadIdx.x / 32 * kOurs;  // the first query of our warp
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;

    auto start = [&](int first) {  // and closes the group, if there is nothing to copy, too
        auto& stage = stages[first / kKeys % kStages];
        if (first < n) start_copy<kThreads>(stage.k, k, first, n), start_copy<kThreads>(stage.v, v, first, n);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int step = 0; step < kStages - 1; ++step) start(step * kKeys);
    unsigned of_q[kDim / 16][4];
    load_queries<kDim>(of_q, q, ours, n);
    Running running;
    float output[kDim / 8][4] = {};
    for (int first = 0; first < n; first += kKeys) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
        __syncthreads();
        start(first + (kStages - 1) * kKeys);
        auto& stage = stages[first / kKeys % kStages];
        float scores[kKeys / 8][4] = {};
#pragma unroll
        for (int i = 0; i < kDim / 16; ++i) {
#pragma unroll
            for (int j = 0; j < kKeys / 16; ++j) {
                unsigned of_k[4];
                load_matrices(of_k, stage.k.at(j * 16 + lane / 16 * 8 + lane % 8, 2 * i + lane / 8 % 2));
                multiply(scores[2 * j], of_q[i], of_k[0], of_k[1]);
                multiply(scores[2 * j + 1], of_q[i], of_k[2], of_k[3]);
            }
        }
        unsigned weights[kKeys / 16][4];
        mask(scores, first + lane % 4 * 2, ours + lane / 4, n, causal);
        running.rescale(scores, output, scale);
        running.weigh(weights, scores);
#pragma unroll
        for (int i = 0; i < kKeys / 16; ++i) {
#pragma unroll
            for (int j = 0; j < kDim / 16; ++j) {
                unsigned of_v[4];
                load_transposed(of_v, stage.v.at(i * 16 + lane % 16, 2 * j + lane / 16));
                multiply(output[2 * j], weights[i], of_v[0], of_v[1]);
                multiply(output[2 * j + 1], weights[i], of_v[2], of_v[3]);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        float sum = running.sum[r];
        sum += __shfl_xor_sync(kAll, sum, 1);
        sum += __shfl_xor_sync(kAll, sum, 2);
        int row = ours + r * 8 + lane / 4;
        if (row >= n) continue;
        if (lane % 4 == 0) lse[row] = running.top[r] + logf(sum);
#pragma unroll
        for (int j = 0; j < kDim / 8; ++j) {
            auto to = reinterpret_cast<float2*>(out + static_cast<std::int64_t>(row) * kDim + j * 8 + lane % 4 * 2);
            *to = {output[j][2 * r] / sum, output[j][2 * r + 1] / sum};
        }
    }
}

template <int kDim>
void launch(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, float* lse, int heads,
            int n, int causal, cudaStream_t stream) {
    int blocks = heads * ((n - 1) / kQueries + 1), bytes = kStages * sizeof(Stage<kDim>);
    float scale = 1 / std::sqrt(static_cast<float>(kDim));
    cudaFuncSetAttribute(attend<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    attend<kDim><<<blocks, kThreads, bytes, stream>>>(q, k, v, out, lse, n, causal, scale);
}

extern "C" void attention_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out,
                               float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    auto run = d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, heads, n, causal, stream);
}
