// Rung 5 of 8: a warp has queries of its own.
//
// On rung 4 all threads wait for each other four times a tile, and half of them wait for the softmax. Here the work is
// split over the queries (FlashAttention-2, Dao 2023, section 3.2): a warp keeps 32 queries, their maxima, sums and
// outputs, and walks along the keys. No warp needs what another one has computed:
//
// - The 8 lanes of a row find its maximum with shuffles. Each has a sum of its own, and these meet once, at the end.
// - The weights go through shared memory that belongs to the warp alone. Two barriers a tile are left, for k and v.
// - A lane has 8 x 8 scores and 8 x d / 8 columns of the output, and reads float4: warp_tile.cuh says which.
// - 2^x is what a GPU computes, so log2(e) / sqrt(d) is folded into one multiplication.
// - A block has 8 warps, or fewer where these would not fit, or leave multiprocessors without a block.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 4_register_products 21.6 ms, 5_own_queries 13.9 ms.
// On an H200, heads=16 n=512 d=64 causal=0: 4_register_products 134 us, 5_own_queries 154 us.
// 16 heads of 512 are too few: two warps a block load with nothing else to do meanwhile. Rung 6 loads behind the
// products.

#include <cmath>
#include <cstdint>

#include "../block_size.cuh"
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

// Loads rows first ... first + kCount - 1 of a matrix into shared memory. Behind the last row, n - 1, that one is loaded
// again: the caller must see to it that it does not count twice.
template <int kCount, int kDim> __device__ void load(float (*to)[kDim], const float* from, int first, int n) {
    for (int i = 4 * threadIdx.x; i < kCount * kDim; i += 4 * blockDim.x) {
        const float* at = from + static_cast<std::int64_t>(min(first + i / kDim, n - 1)) * kDim + i % kDim;
        *reinterpret_cast<float4*>(&to[i / kDim][i % kDim]) = *reinterpret_cast<const float4*>(at);
    }
}

// The same, transposed, by some threads. A warp loads 8 floats of 4 rows: whole sectors, and into all banks.
template <int kCount, int kDim, int kStride>
__device__ void load_transposed(float (*to)[kStride], const float* from, int first, int n, int thread, int threads) {
    for (int row = thread / 8; row < kCount; row += threads / 8) {
        const float* at = from + static_cast<std::int64_t>(min(first + row, n - 1)) * kDim;
#pragma unroll
        for (int col = thread % 8; col < kDim; col += 8) to[col][row] = at[col];
    }
}

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

    load_transposed<kQueries, kDim>(own.q, q, ours, n, threadIdx.x % 32, 32);
    Running running;
    float output[kRows][kDim / kLanesAcross] = {};
    for (int first = 0; first < n; first += kTile) {
        load_transposed<kTile, kDim>(tiles.k, k, first, n, threadIdx.x, blockDim.x);
        load<kTile>(tiles.v, v, first, n);
        __syncthreads();
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
        __syncwarp();
        multiply<kTile>(output, own.weights, tiles.v);
        __syncthreads();
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
