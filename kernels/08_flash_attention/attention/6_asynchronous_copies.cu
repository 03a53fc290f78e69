// Rung 6 of 8: asynchronous copies.
//
// On rung 5 a warp multiplies nothing while it loads. Here the next tile is on its way during the products, from global
// to shared memory and through no register: the tile of v while the scores are computed from k, the next tile of k
// while the output is computed from v. So each of the two tiles needs one place only, and two barriers a tile are left.
// k is transposed on its way, 4 bytes at a time; v goes in 16 bytes.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 5_own_queries 13.9 ms, 6_asynchronous_copies 12.0 ms.
// On an H200, heads=128 n=4096 d=64 causal=0: memory-efficient 15.3 ms.
// On an H200, heads=16 n=512 d=64 causal=0: 5_own_queries 154 us, 6_asynchronous_copies 77.8 us.
// What did not help: k by way of registers, to write it transposed with float4 (the same).

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

// Our part of 8 rows: the largest scores so far (in powers of 2), and the sums of the weights that we have seen.
struct Running {
    float top[kRows], sum[kRows];

    __device__ Running() {
        for (int r = 0; r < kRows; ++r) top[r] = -INFINITY, sum[r] = 0;
    }

    // Raises the tops to the largest scores so far, and shrinks what was summed up.
    template <int kCols, int kOurs>
    __device__ __forceinline__ void rescale(float (&output)[kRows][kCols], const float (&scores)[kRows][kOurs],
                                            float factor) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            float largest = scores[r][0];
#pragma unroll
            for (int c = 1; c < kOurs; ++c) largest = fmaxf(largest, scores[r][c]);
            largest = factor * over_row(largest, [](float x, float y) { return fmaxf(x, y); });
            float higher = fmaxf(top[r], largest), shrink = exp2f(top[r] - higher);
            top[r] = higher;
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
                scores[r][c] = exp2f(scores[r][c] * factor - top[r]);
                sum[r] += scores[r][c];
            }
        }
    }
};

template <int kDim>
__global__ void __launch_bounds__(32 * kMostWarps)
    attend(const float* q, const float* k, const float* v, float* out, float* lse, int n, int causal, float factor) {
    constexpr int kTile = kKeys<kDim>;
    extern __shared__ float4 shared[];
    auto& tiles = *reinterpret_cast<Tiles<kDim>*>(shared);
    auto& own = reinterpret_cast<Own<kDim>*>(&tiles + 1)[threadIdx.x / 32];

    int queries = blockDim.x / 32 * kQueries, blocks = (n - 1) / queries + 1;
    std::int64_t head = blockIdx.x / blocks;
    int ours = blockIdx.x % blocks * queries + threadIdx.x / 32 * kQueries;  // the first of our warp
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;

    start_transposed<kQueries, kDim>(own.q, q, ours, n, our_warp());
    start_transposed<kTile, kDim>(tiles.k, k, 0, n, our_block());
    Running running;
    float output[kRows][kDim / kLanesAcross] = {};
    for (int first = 0; first < n; first += kTile) {
        wait_for_copies();
        start_copy<kTile, kDim>(tiles.v, v, first, n, our_block());
        float scores[kRows][kTile / kLanesAcross] = {};
        multiply<kDim>(scores, own.q, tiles.k);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            int count = causal ? min(n, ours + row_of(r) + 1) : n;
#pragma unroll
            for (int c = 0; c < kTile / kLanesAcross; ++c) {
                if (first + col_of(c) >= count) scores[r][c] = -INFINITY;
            }
        }
        running.rescale(output, scores, factor);
        running.weigh(scores, factor);
        put_transposed(own.weights, scores, col_of);
        wait_for_copies();
        if (first + kTile < n) start_transposed<kTile, kDim>(tiles.k, k, first + kTile, n, our_block());
        multiply<kTile>(output, own.weights, tiles.v);
    }

    float own_lse = 0;  // of row `lane` of the warp: so all are written at once
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        float sum = over_row(running.sum[r], [](float x, float y) { return x + y; }), share = 1 / sum;
        if (lane_across() == r) own_lse = (running.top[r] + log2f(sum)) / kLog2E;
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
    attend<kDim><<<blocks(warps), 32 * warps, bytes(warps), stream>>>(q, k, v, out, lse, n, causal, factor);
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch<32> : d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, heads, n, causal, stream);
}
