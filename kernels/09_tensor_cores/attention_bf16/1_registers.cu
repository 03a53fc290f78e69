// Rung 1 of 6: both products on the tensor cores, and the weights never leave their registers.
//
// A warp has 16 queries, as a fragment of a for each 16 columns. Their scores with a tile of 64 keys are fragments
// of c: a lane has of rows group and group + 8 the columns 2 pair, 2 pair + 1 of each 8. That is what a lane has of
// a fragment of a, too. So when the scores have become weights, two fragments of 16 x 8 side by side are one of 16 x
// 16, each two floats rounded to a pair of bfloat16, and the product with v takes them as they are: no shuffle, no
// shared memory.
//
// The softmax is that of lesson 08. A row lies in four lanes, and two shuffles find its maximum. The sum is of
// weights that were not rounded; lanes add up their own, and meet at the end.
//
// A fragment of v wants two keys of one column in a register, and they lie in different rows: two loads of 2 bytes.
//
// On an H200, heads=64 n=4096 d=128 causal=0: 1_registers 110 Tflop/s, FLASH 334 Tflop/s.
// On an H200, heads=64 n=4096 d=64 causal=0: 1_registers 104 Tflop/s, FLASH 286 Tflop/s.

#include <cuda_bf16.h>

#include <cmath>
#include <cstdint>

constexpr unsigned kAll = 0xffffffff;
constexpr int kWarps = 4, kThreads = 32 * kWarps;           // of a block
constexpr int kOurs = 16;                                   // queries of a warp
constexpr int kQueries = kWarps * kOurs, kKeys = 64;        // of a tile

// With rows 8 elements longer than d, lanes that load a pair from each of 8 rows read 32 banks.
template <int kDim> using Tile = __nv_bfloat16[kKeys][kDim + 8];

// Rows first, first + 1, ... of n; those behind the last become zeros.
template <int kDim>
__device__ void copy(Tile<kDim>& to, const __nv_bfloat16* from, int first, int n) {
    constexpr int kPieces = kDim / 8;
    unsigned piece = threadIdx.x % kPieces;
#pragma unroll
    for (unsigned row = threadIdx.x / kPieces; row < kKeys; row += kThreads / kPieces) {
        int from_row = first + row;
        auto at = reinterpret_cast<const uint4*>(from + static_cast<std::int64_t>(from_row) * kDim) + piece;
        *reinterpret_cast<uint4*>(&to[row][piece * 8]) = from_row < n ? *at : uint4{};
    }
}

// Two neighbours of a row in one register, and two of a column.
template <int kDim> __device__ unsigned pair_at(const Tile<kDim>& tile, int row, int col) {
    return *reinterpret_cast<const unsigned*>(&tile[row][col]);
}
template <int kDim> __device__ unsigned column_pair_at(const Tile<kDim>& tile, int row, int col) {
    __nv_bfloat162 both = {tile[row][col], tile[row + 1][col]};
    return reinterpret_cast<const unsigned&>(both);
}

// c += a * b, on a tensor core, by the whole warp.
__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two floats in one register, as bfloat16.
__device__ __forceinline__ unsigned packed(float low, float high) {
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
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
    __shared__ __align__(16) Tile<kDim> tile_k, tile_v;
    int blocks = (n - 1) / kQueries + 1;
    std::int64_t head = blockIdx.x / blocks;
    int group = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
    int ours = blockIdx.x % blocks * kQueries + threadIdx.x / 32 * kOurs;  // the first query of our warp
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;

    unsigned of_q[kDim / 16][4];
    load_queries<kDim>(of_q, q, ours, n);
    Running running;
    float output[kDim / 8][4] = {};
    for (int first = 0; first < n; first += kKeys) {
        __syncthreads();  // all have done with the last tiles
        copy<kDim>(tile_k, k, first, n);
        copy<kDim>(tile_v, v, first, n);
        __syncthreads();
        float scores[kKeys / 8][4] = {};
#pragma unroll
        for (int i = 0; i < kDim; i += 16) {
#pragma unroll
            for (int j = 0; j < kKeys / 8; ++j) {
                unsigned upper = pair_at<kDim>(tile_k, j * 8 + group, i + 2 * pair);
                unsigned lower = pair_at<kDim>(tile_k, j * 8 + group, i + 8 + 2 * pair);
                multiply(scores[j], of_q[i / 16], upper, lower);
            }
        }
        unsigned weights[kKeys / 16][4];
        mask(scores, first + 2 * pair, ours + group, n, causal);
        running.rescale(scores, output, scale);
        running.weigh(weights, scores);
#pragma unroll
        for (int i = 0; i < kKeys; i += 16) {
#pragma unroll
            for (int j = 0; j < kDim / 8; ++j) {
                unsigned upper = column_pair_at<kDim>(tile_v, i + 2 * pair, j * 8 + group);
                unsigned lower = column_pair_at<kDim>(tile_v, i + 8 + 2 * pair, j * 8 + group);
                multiply(output[j], weights[i / 16], upper, lower);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        float sum = running.sum[r];
        sum += __shfl_xor_sync(kAll, sum, 1);
        sum += __shfl_xor_sync(kAll, sum, 2);
        int row = ours + r * 8 + group;
        if (row >= n) continue;
        if (pair == 0) lse[row] = running.top[r] + logf(sum);
#pragma unroll
        for (int j = 0; j < kDim / 8; ++j) {
            auto to = reinterpret_cast<float2*>(out + static_cast<std::int64_t>(row) * kDim + j * 8 + 2 * pair);
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
