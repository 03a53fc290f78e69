// Rung 2 of 6: ldmatrix, also across.
//
// Rung 1 picks the values out of shared memory one by one: a register of a fragment holds two keys of one column of
// v, and they lie in different rows. `ldmatrix.trans` hands each lane the pair of the transposed matrix: a fragment
// of v is one instruction, as one of k is. And as in matmul_bf16 an XOR of row and piece replaces the padding.
//
// On an H200, heads=64 n=4096 d=128 causal=0: 1_registers 110 Tflop/s, 2_ldmatrix 111 Tflop/s.
// On an H200, heads=64 n=4096 d=64 causal=0: 1_registers 104 Tflop/s, 2_ldmatrix 108 Tflop/s.
// That is hardly more than rung 1. Warps wait for the tiles, and that is rung 3's subject.

#include <cmath>
#include <cstdint>

#include "../fragments.cuh"

constexpr unsigned kAll = 0xffffffff;
constexpr int kWarps = 4, kThreads = 32 * kWarps;           // of a block
constexpr int kOurs = 16;                                   // queries of a warp
constexpr int kQueries = kWarps * kOurs, kKeys = 64;        // of a tile

// Rows first, first + 1, ... of n; those behind the last become zeros.
template <int kDim>
__device__ void copy(Tile<kKeys, kDim>& to, const __nv_bfloat16* from, int first, int n) {
    constexpr int kPieces = kDim / 8;
    unsigned piece = threadIdx.x % kPieces;
#pragma unroll
    for (unsigned row = threadIdx.x / kPieces; row < kKeys; row += kThreads / kPieces) {
        int from_row = first + row;
        auto at = reinterpret_cast<const uint4*>(from + static_cast<std::int64_t>(from_row) * kDim) + piece;
        to.at(row, piece) = from_row < n ? *at : uint4{};
    }
}

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
__global__ void __launch_bounds__(kThreads, 3)
    attend(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, float* lse, int n,
           int causal, float scale) {
    __shared__ Tile<kKeys, kDim> tile_k, tile_v;
    int blocks = (n - 1) / kQueries + 1;
    std::int64_t head = blockIdx.x / blocks;
    unsigned lane = threadIdx.x % 32;
    int ours = blockIdx.x % blocks * kQueries + threadIdx.x / 32 * kOurs;  // the first query of our warp
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;

    unsigned of_q[kDim / 16][4];
    load_queries<kDim>(of_q, q, ours, n);
    Running running;
    float output[kDim / 8][4] = {};
    for (int first = 0; first < n; first += kKeys) {
        __syncthreads();  // all have done with the last tiles
        copy(tile_k, k, first, n);
        copy(tile_v, v, first, n);
        __syncthreads();
        float scores[kKeys / 8][4] = {};
#pragma unroll
        for (int i = 0; i < kDim / 16; ++i) {
#pragma unroll
            for (int j = 0; j < kKeys / 16; ++j) {
                unsigned of_k[4];
                load_matrices(of_k, tile_k.at(j * 16 + lane / 16 * 8 + lane % 8, 2 * i + lane / 8 % 2));
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
                load_transposed(of_v, tile_v.at(i * 16 + lane % 16, 2 * j + lane / 16));
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
    int blocks = heads * ((n - 1) / kQueries + 1);
    float scale = 1 / std::sqrt(static_cast<float>(kDim));
    attend<kDim><<<blocks, kThreads, 0, stream>>>(q, k, v, out, lse, n, causal, scale);
}

extern "C" void attention_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out,
                               float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    auto run = d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, heads, n, causal, stream);
}
