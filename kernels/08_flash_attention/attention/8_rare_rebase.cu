// Rung 8 of 8: what is subtracted from the scores moves only when it must.
//
// What is subtracted from a row's scores need not be their maximum: if it is up to 8 too small (in powers of 2), all
// weights and their sum are up to 2^8 too large, and the quotient is the same. So after the first tiles hardly any lane
// asks the others, and nothing shrinks.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 7_causal_tiles 11.9 ms, 8_rare_rebase 12.0 ms, memory-efficient 15.3 ms.
// On an H200, heads=128 n=4096 d=64 causal=1: 7_causal_tiles 6.05 ms, 8_rare_rebase 6.04 ms, memory-efficient 8.14 ms.
// On an H200, heads=16 n=4096 d=32 causal=0: 7_causal_tiles 879 us, 8_rare_rebase 852 us, memory-efficient 1.76 ms.
// On an H200, heads=16 n=4096 d=128 causal=0: 7_causal_tiles 3.05 ms, 8_rare_rebase 2.98 ms, memory-efficient 3.05 ms.
// On an H200, heads=16 n=512 d=64 causal=0: 7_causal_tiles 76.7 us, 8_rare_rebase 77.2 us, memory-efficient 67.6 us.
// 16 heads of 512 are too little for the GPU.
//
// What did not help there, or cost: both products with float4 along d, queries and keys as they are (13.3 ms); no to
// and fro in the products (1 % more); a loop of 4 steps in a line (3 %), of 8 (1 %, but for 16 heads of 512 a sixth
// less: fewer instructions to fetch), of 64 (twice the time: the code no longer fits where instructions are kept); 2^x
// without exp2f's care for results below 2^-126 (the same); 4 warps a block (1 % more, causal 3 %); lanes numbered row
// after row (1 % more, 4 % for d = 32 and 128).

#include <cmath>
#include <cstdint>

#include "../block_size.cuh"
#include "../copies.cuh"
#include "../warp_tile.cuh"

constexpr int kMostWarps = 8;                                // of a block
constexpr int kQueries = 32, kRows = kQueries / kLanesDown;  // of a warp, of a thread

template <int kDim> constexpr int kKeys = kDim == 128 ? 32 : 64;  // of a tile

// What the warps of a block share, and what each has for itself. With rows 4 floats longer, what is written to them, or
// read, by a quarter of a warp meets no bank twice.
template <int kDim> struct Tiles {
    float k[kDim][kKeys<kDim> + 4];
    float v[kKeys<kDim>][kDim];
};
template <int kDim> struct Own {
    float q[kDim][kQueries + 4];
    float weights[kKeys<kDim>][kQueries + 4];
};

// Our part of 8 rows: what was subtracted from their scores (in powers of 2), and the sum of the weights we have seen.
struct Running {
    static constexpr float kEnough = 8;  // powers of 2 that a score may lie above `base`
    float base[kRows], sum[kRows];

    __device__ Running() {
        for (int r = 0; r < kRows; ++r) base[r] = -INFINITY, sum[r] = 0;
    }

    // Raises the bases to the largest scores so far, if some score needs it, and shrinks what was summed up. Each row
    // has a key in the first tile, so its base is finite from then on.
    template <int kCols, int kOurs>
    __device__ __forceinline__ void rebase(float (&output)[kRows][kCols], const float (&scores)[kRows][kOurs],
                                           float factor) {
        float largest[kRows];
        bool too_large = false;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            largest[r] = scores[r][0];
#pragma unroll
            for (int c = 1; c < kOurs; ++c) largest[r] = fmaxf(largest[r], scores[r][c]);
            too_large |= largest[r] * factor - kEnough > base[r];
        }
        if (!__any_sync(kAll, too_large)) return;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            float top = factor * over_row(largest[r], [](float x, float y) { return fmaxf(x, y); });
            float higher = fmaxf(base[r], top), shrink = exp2f(base[r] - higher);
            base[r] = higher;
            sum[r] *= shrink;
#pragma unroll
            for (int c = 0; c < kCols; ++c) output[r][c] *= shrink;
        }
    }

    // Scores become weights.
    template <int kOurs> __device__ __forceinline__ void weigh(float (&scores)[kRows][kOurs], float factor) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
#pragma unroll
            for (int c = 0; c < kOurs; ++c) {
                scores[r][c] = exp2f(scores[r][c] * factor - base[r]);
                sum[r] += scores[r][c];
            }
        }
    }
};

template <int kDim>
__global__ void __launch_bounds__(32 * kMostWarps)
    attend(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int causal,
           float factor) {
    constexpr int kTile = kKeys<kDim>;
    extern __shared__ float4 shared[];
    auto& tiles = *reinterpret_cast<Tiles<kDim>*>(shared);
    auto& own = reinterpret_cast<Own<kDim>*>(&tiles + 1)[threadIdx.x / 32];

    int queries = blockDim.x / 32 * kQueries, blocks = (n - 1) / queries + 1;
    std::int64_t head = causal ? blockIdx.x % heads : blockIdx.x / blocks;
    int first_query = (causal ? blocks - 1 - blockIdx.x / heads : blockIdx.x % blocks) * queries;  // the longest begin
    int ours = first_query + threadIdx.x / 32 * kQueries;                                          // the first of our warp
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;
    int keys = causal ? min(n, first_query + queries) : n;  // that the block needs,
    int our_keys = causal ? min(n, ours + kQueries) : n;    // our warp,
    int all_keys = causal ? min(n, ours + 1) : n;           // and all our queries

    start_transposed<kQueries, kDim>(own.q, q, ours, n, our_warp());
    start_transposed<kTile, kDim>(tiles.k, k, 0, n, our_block());
    Running running;
    float output[kRows][kDim / kLanesAcross] = {};
    for (int first = 0; first < keys; first += kTile) {
        wait_for_copies();
        start_copy<kTile, kDim>(tiles.v, v, first, n, our_block());
        if (first < our_keys) {
            float scores[kRows][kTile / kLanesAcross] = {};
            multiply<kDim>(scores, own.q, tiles.k);
            if (first + kTile > all_keys) {
#pragma unroll
                for (int r = 0; r < kRows; ++r) {
                    int count = causal ? min(n, ours + row_of(r) + 1) : n;
#pragma unroll
                    for (int c = 0; c < kTile / kLanesAcross; ++c) {
                        if (first + col_of(c) >= count) scores[r][c] = -INFINITY;
                    }
                }
            }
            running.rebase(output, scores, factor);
            running.weigh(scores, factor);
            put_transposed(own.weights, scores, col_of);
        }
        wait_for_copies();
        if (first + kTile < keys) start_transposed<kTile, kDim>(tiles.k, k, first + kTile, n, our_block());
        if (first < our_keys) multiply<kTile>(output, own.weights, tiles.v);
    }

    float own_lse = 0;  // of row `lane` of the warp: so all are written at once
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        float sum = over_row(running.sum[r], [](float x, float y) { return x + y; }), share = 1 / sum;
        if (lane_across() == r) own_lse = (running.base[r] + log2f(sum)) / kLog2E;
#pragma unroll
        for (int c = 0; c < kDim / kLanesAcross; ++c) output[r][c] *= share;
    }
    int row = ours + row_of(lane_across());
    if (row < n) lse[row] = own_lse;
    store<kDim>(out, output, n, [=](int r) { return ours + row_of(r); });
}

template <int kDim>
void launch(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int causal,
            cudaStream_t stream) {
    auto bytes = [](int warps) { return static_cast<int>(sizeof(Tiles<kDim>) + warps * sizeof(Own<kDim>)); };
    auto blocks = [=](int warps) { return static_cast<std::int64_t>(heads) * ((n - 1) / (warps * kQueries) + 1); };
    int warps = choose_warps(bytes, blocks, kMostWarps);
    cudaFuncSetAttribute(attend<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes(warps));
    float factor = kLog2E / std::sqrt(static_cast<float>(kDim));
    attend<kDim><<<blocks(warps), 32 * warps, bytes(warps), stream>>>(q, k, v, out, lse, heads, n, causal, factor);
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch<32> : d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, heads, n, causal, stream);
}
