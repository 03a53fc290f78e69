// Rung 5 of 6: asynchronous copies.
//
// The next tile of q and grad_out is on its way while this one is used. Each tile is read by four products, so there is
// no time at which half of it is free: two tiles take turns, where there is shared memory for two, and one barrier a
// tile is left.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 4_one_kernel 39.6 ms, 5_asynchronous_copies 34.4 ms.
// On an H200, heads=128 n=4096 d=64 causal=0: memory-efficient 39.0 ms.
// Without a memory operation for grad_q it would take 4 % less; with an atomic for each float instead of four, a quarter
// more.

#include <cmath>
#include <cstdint>

#include "../back_tiles.cuh"
#include "../block_size.cuh"
#include "../copies.cuh"

constexpr int kMostWarps = 8;
constexpr int kQueries = 32;                                              // of a tile
template <int kDim> constexpr int kOurs = kDim == 128 ? 4 : 8;            // keys of a thread,
template <int kDim> constexpr int kKeys = kLanesDown * kOurs<kDim>;       // and of a warp

// What the warps of a block share, and what each has for itself.
template <int kDim> struct Tile {
    float q[kQueries][kDim + 4], grad_out[kQueries][kDim + 4];
    float lse[kQueries], rest[kQueries];
};
template <int kDim> struct Own {
    float k[kKeys<kDim>][kDim + 4], v[kKeys<kDim>][kDim + 4];
    union {
        float by_query[kQueries][kKeys<kDim> == 32 ? 48 : 16];  // an odd multiple of 16: a quarter writes two rows
        float by_key[kKeys<kDim>][kQueries + 8];
    };
};

struct Given {
    const float *q, *k, *v, *lse, *grad_out, *rest;
    int heads, n, causal;
};

// Adds four floats to four in memory.
__device__ __forceinline__ void add(float* to, const float* four) {
#if __CUDA_ARCH__ >= 900
    atomicAdd(reinterpret_cast<float4*>(to), make_float4(four[0], four[1], four[2], four[3]));
#else
    for (int i = 0; i < 4; ++i) atomicAdd(to + i, four[i]);
#endif
}

// Adds our keys' share to the gradients of the tile's queries, 32 or 64 columns at a time.
template <int kDim>
__device__ __forceinline__ void add_to_queries(float* grad_q, Own<kDim>& own, int first, int n) {
    constexpr int kCols = kDim == 64 ? 64 : 32;
#pragma unroll 1
    for (int col = 0; col < kDim; col += kCols) {
        float sum[kQueries / kLanesDown][kCols / kLanesAcross] = {};
        multiply<kKeys<kDim>, 8>(sum, own.by_key, reinterpret_cast<const float(*)[kDim + 4]>(&own.k[0][col]));
#pragma unroll
        for (int r = 0; r < kQueries / kLanesDown; ++r) {
            int query = first + row_of(r);
            if (query >= n) continue;
            float* to = grad_q + static_cast<std::int64_t>(query) * kDim + col;
#pragma unroll
            for (int c = 0; c < kCols / kLanesAcross; c += 4) add(to + col_of(c), &sum[r][c]);
        }
    }
}

template <int kDim>
__global__ void __launch_bounds__(32 * kMostWarps)
    differentiate(Given given, float* grad_q, float* grad_k, float* grad_v, int buffers) {
    constexpr int kRows = kOurs<kDim>, kCols = kQueries / kLanesAcross;
    extern __shared__ float4 shared[];
    auto* tiles = reinterpret_cast<Tile<kDim>*>(shared);
    auto& own = reinterpret_cast<Own<kDim>*>(tiles + buffers)[threadIdx.x / 32];

    int n = given.n, causal = given.causal;
    std::int64_t head = blockIdx.x % given.heads;  // causal: the first keys are seen by most queries, and begin
    int first_key = blockIdx.x / given.heads * (blockDim.x / 32 * kKeys<kDim>);
    int ours = first_key + threadIdx.x / 32 * kKeys<kDim>;
    const float *q = given.q + head * n * kDim, *grad_out = given.grad_out + head * n * kDim;
    const float *lse = given.lse + head * n, *rest = given.rest + head * n;
    int begin = causal ? first_key : 0;

    auto start_tile = [&](Tile<kDim>& tile, int first) {
        start_copy<kQueries, kDim>(tile.q, q, first, n, our_block());
        start_copy<kQueries, kDim>(tile.grad_out, grad_out, first, n, our_block());
        if (threadIdx.x < kQueries) {
            int at = min(first + static_cast<int>(threadIdx.x), n - 1);
            __pipeline_memcpy_async(&tile.lse[threadIdx.x], &lse[at], 4);
            __pipeline_memcpy_async(&tile.rest[threadIdx.x], &rest[at], 4);
        }
    };
    start_copy<kKeys<kDim>, kDim>(own.k, given.k + head * n * kDim, ours, n, our_warp());
    start_copy<kKeys<kDim>, kDim>(own.v, given.v + head * n * kDim, ours, n, our_warp());
    start_tile(tiles[0], begin);

    float scale = rsqrtf(kDim), sum_k[kRows][kDim / kLanesAcross] = {}, sum_v[kRows][kDim / kLanesAcross] = {};
    for (int first = begin, buffer = 0; first < n; first += kQueries, buffer ^= buffers - 1) {
        auto& tile = tiles[buffer];
        int next = first + kQueries;
        wait_for_copies();
        if (buffers == 2 && next < n) start_tile(tiles[buffer ^ 1], next);
        if (!causal || next > ours) {
            float weights[kRows][kCols] = {}, of_scores[kRows][kCols] = {};
            multiply_rows<kDim>(weights, own.k, tile.q);
            bool border = next > n || ours + kKeys<kDim> > n || (causal && first < ours + kKeys<kDim>);
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
#pragma unroll
                for (int c = 0; c < kCols; ++c) {
                    weights[r][c] = exp2f(kLog2E * (weights[r][c] * scale - tile.lse[other_of(c)]));
                    int key = ours + near_of(r), query = first + other_of(c);
                    if (border && (query >= n || key >= n || (causal && key > query))) weights[r][c] = 0;
                }
            }
            put_transposed(own.by_query, weights, other_of);
            __syncwarp();
            multiply<kQueries, 8>(sum_v, own.by_query, tile.grad_out);
            multiply_rows<kDim>(of_scores, own.v, tile.grad_out);
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
#pragma unroll
                for (int c = 0; c < kCols; ++c) {
                    of_scores[r][c] = weights[r][c] * scale * (of_scores[r][c] - tile.rest[other_of(c)]);
                }
            }
            __syncwarp();
            put_transposed(own.by_query, of_scores, other_of);
            __syncwarp();
            multiply<kQueries, 8>(sum_k, own.by_query, tile.q);
            __syncwarp();
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
#pragma unroll
                for (int c = 0; c < kCols; ++c) own.by_key[near_of(r)][other_of(c)] = of_scores[r][c];
            }
            __syncwarp();
            add_to_queries<kDim>(grad_q + head * n * kDim, own, first, n);
        }
        if (buffers == 1) {
            __syncthreads();
            if (next < n) start_tile(tile, next);
        }
    }
    auto row_is = [=](int r) { return ours + near_of(r); };
    store<kDim>(grad_k + head * n * kDim, sum_k, n, row_is);
    store<kDim>(grad_v + head * n * kDim, sum_v, n, row_is);
}

template <int kDim>
void launch(Given given, const float* out, float* grad_q, float* grad_k, float* grad_v, cudaStream_t stream) {
    std::int64_t rows = static_cast<std::int64_t>(given.heads) * given.n;
    auto with = [](int buffers) {
        return [=](int warps) { return static_cast<int>(buffers * sizeof(Tile<kDim>) + warps * sizeof(Own<kDim>)); };
    };
    auto blocks = [=](int warps) {
        return static_cast<std::int64_t>(given.heads) * ((given.n - 1) / (warps * kKeys<kDim>) + 1);
    };
    int buffers = fits(with(2)(1)) ? 2 : 1, warps = choose_warps(with(buffers), blocks, kMostWarps);
    int bytes = with(buffers)(warps);

    float* rest;
    cudaMallocAsync(&rest, rows * sizeof(float), stream);
    given.rest = rest;
    rests<<<(rows - 1) / 4 + 1, 128, 0, stream>>>(out, given.grad_out, rest, rows, kDim);
    cudaMemsetAsync(grad_q, 0, rows * kDim * sizeof(float), stream);
    cudaFuncSetAttribute(differentiate<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    differentiate<kDim><<<blocks(warps), 32 * warps, bytes, stream>>>(given, grad_q, grad_k, grad_v, buffers);
    cudaFreeAsync(rest, stream);
}

extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* out, const float* lse,
                                   const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n,
                                   int d, int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch<32> : d == 64 ? launch<64> : launch<128>;
    run({q, k, v, lse, grad_out, nullptr, heads, n, causal}, out, grad_q, grad_k, grad_v, stream);
}
