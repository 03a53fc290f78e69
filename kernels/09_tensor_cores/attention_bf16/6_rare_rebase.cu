// Rung 6 of 6: powers of two, and a rebase only when it must be.
//
// exp(x / sqrt(d) - top) is 2^(x * factor - base), if factor = log2(e) / sqrt(d) and the base is kept in powers of
// 2: one multiply-add, and one instruction of the special-function unit, ex2.approx. And what is subtracted need not
// be the largest score: a weight of up to 2^8 does no harm, in float or in bfloat16. So a warp keeps its base until
// some score lies more than 8 above it. Only then do the lanes of a row ask each other for the maximum, and the
// output shrinks.
//
// On an H200, heads=64 n=4096 d=128 causal=0: 5_causal_tiles 269 Tflop/s, 6_rare_rebase 339 Tflop/s, FLASH 334 Tflop/s.
// On an H200, heads=64 n=4096 d=64 causal=0: 5_causal_tiles 217 Tflop/s, 6_rare_rebase 289 Tflop/s, FLASH 286 Tflop/s.
// On an H200, heads=64 n=4096 d=128 causal=1: 6_rare_rebase 321 Tflop/s, FLASH 278 Tflop/s.
// On an H200, heads=64 n=4096 d=64 causal=1: 6_rare_rebase 274 Tflop/s, FLASH 242 Tflop/s.
//
// Tried, with d = 128: three tiles in shared memory instead of two (224 Tflop/s, as a multiprocessor then has room for
// one block); exp2f instead of ex2.approx (340).

#include <cmath>
#include <cstdint>

#include "../fragments.cuh"

constexpr unsigned kAll = 0xffffffff;
constexpr float kLog2E = 1.4426950408889634f;
constexpr float kEnough = 8;                                // powers of 2 that a score may lie above its base
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

__device__ __forceinline__ float power_of_two(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

// The softmax of two rows, 8 apart, of which four lanes have a share each.
struct Running {
    float base[2] = {-INFINITY, -INFINITY}, sum[2] = {};

    // Raises the bases to the largest scores so far, if some score needs it, and shrinks what was summed up. Each row
    // has a key in the first tile, so its base is finite from then on.
    template <int kScores, int kOutputs>
    __device__ __forceinline__ void rebase(const float (&scores)[kScores][4], float (&output)[kOutputs][4],
                                           float factor) {
        float largest[2] = {-INFINITY, -INFINITY};
#pragma unroll
        for (int i = 0; i < kScores * 4; ++i) largest[i / 2 % 2] = fmaxf(largest[i / 2 % 2], scores[i / 4][i % 4]);
        bool too_large = false;
        for (int r = 0; r < 2; ++r) too_large |= largest[r] * factor - kEnough > base[r];
        if (!__any_sync(kAll, too_large)) return;
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            largest[r] = fmaxf(largest[r], __shfl_xor_sync(kAll, largest[r], 1));
            largest[r] = fmaxf(largest[r], __shfl_xor_sync(kAll, largest[r], 2));
            float higher = fmaxf(base[r], largest[r] * factor), shrink = power_of_two(base[r] - higher);
            base[r] = higher;
            sum[r] *= shrink;
#pragma unroll
            for (int j = 0; j < kOutputs; ++j) output[j][2 * r] *= shrink, output[j][2 * r + 1] *= shrink;
        }
    }

    // Scores become weights, in fragments of a.
    template <int kScores>
    __device__ __forceinline__ void weigh(unsigned (&weights)[kScores / 2][4], float (&scores)[kScores][4],
                                          float factor) {
#pragma unroll
        for (int j = 0; j < kScores; ++j) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                scores[j][i] = power_of_two(scores[j][i] * factor - base[i / 2]);
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
           int n, int causal, float factor) {
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
            running[p].rebase(scores[p], output[p], factor);
            running[p].weigh(weights[p], scores[p], factor);
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
        if (lane % 4 == 0) lse[row] = (running[r / 2].base[r % 2] + log2f(sum)) / kLog2E;
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
    float factor = kLog2E / std::sqrt(static_cast<float>(kDim));
    cudaFuncSetAttribute(attend<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    attend<kDim><<<blocks, kThreads, bytes, stream>>>(q, k, v, out, lse, heads, n, causal, factor);
}

extern "C" void attention_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out,
                               float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    auto run = d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, heads, n, causal, stream);
}
