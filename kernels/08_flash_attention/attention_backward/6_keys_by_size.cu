// Rung 6 of 6: a warp has as many keys as there is work for.
//
// 16 heads of 512 are 256 warps with 32 keys each, for 132 multiprocessors that have room for 8 warps each. There a
// warp takes 16 keys, and twice as many are at work: each reads more for a multiplication, and waits less. For d = 128
// it was so before.
//
// On an H200, heads=16 n=512 d=64 causal=0: 5_asynchronous_copies 191 us, 6_keys_by_size 116 us.
// On an H200, heads=16 n=512 d=64 causal=0: memory-efficient 178 us.
// On an H200, heads=16 n=1024 d=64 causal=0: 5_asynchronous_copies 379 us, 6_keys_by_size 347 us.
// On an H200, heads=16 n=1024 d=64 causal=0: memory-efficient 367 us.
// On an H200, heads=128 n=4096 d=64 causal=0: 5_asynchronous_copies 34.4 ms, 6_keys_by_size 34.4 ms.
// On an H200, heads=128 n=4096 d=64 causal=0: memory-efficient 39.0 ms.
// On an H200, heads=16 n=4096 d=128 causal=1: 5_asynchronous_copies 4.64 ms, 6_keys_by_size 4.64 ms.
// On an H200, heads=16 n=4096 d=128 causal=1: memory-efficient 5.30 ms.
// Tried with 16 heads of 2048: 32 keys are faster there (1.1 ms, 1.25 with 16).
//
// What did not help, or cost: the blocks of a head one after the other (3 %, causal 10 %: those with most to do no
// longer begin); a loop of 4 steps in a line instead of 8 (4 %), of 16 (1 % less, but for d = 128 17 % more: registers
// do not suffice); for d = 128 64 columns of grad_q at a time instead of 32 (4 %), for d = 64 32 instead of 64 (2 %).

#include <cmath>
#include <cstdint>

#include "../back_tiles.cuh"
#include "../block_size.cuh"
#include "../copies.cuh"

constexpr int kMostWarps = 8;
constexpr int kQueries = 32;                                     // of a tile
template <int kOurs> constexpr int kKeys = kLanesDown * kOurs;  // of a warp, with kOurs for each thread

// What the warps of a block share, and what each has for itself.
template <int kDim> struct Tile {
    float q[kQueries][kDim + 4], grad_out[kQueries][kDim + 4];
    float lse[kQueries], rest[kQueries];
};
template <int kDim, int kOurs> struct Own {
    float k[kKeys<kOurs>][kDim + 4], v[kKeys<kOurs>][kDim + 4];
    union {
        float by_query[kQueries][kKeys<kOurs> == 32 ? 48 : 16];  // an odd multiple of 16: a quarter writes two rows
        float by_key[kKeys<kOurs>][kQueries + 8];
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
template <int kDim, int kOurs>
__device__ __forceinline__ void add_to_queries(float* grad_q, Own<kDim, kOurs>& own, int first, int n) {
    constexpr int kCols = kDim == 64 ? 64 : 32;
#pragma unroll 1
    for (int col = 0; col < kDim; col += kCols) {
        float sum[kQueries / kLanesDown][kCols / kLanesAcross] = {};
        multiply<kKeys<kOurs>, 8>(sum, own.by_key, reinterpret_cast<const float(*)[kDim + 4]>(&own.k[0][col]));
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

template <int kDim, int kOurs>
__global__ void __launch_bounds__(32 * kMostWarps)
    differentiate(Given given, float* grad_q, float* grad_k, float* grad_v, int buffers) {
    constexpr int kCols = kQueries / kLanesAcross;
    extern __shared__ float4 shared[];
    auto* tiles = reinterpret_cast<Tile<kDim>*>(shared);
    auto& own = reinterpret_cast<Own<kDim, kOurs>*>(tiles + buffers)[threadIdx.x / 32];

    int n = given.n, causal = given.causal;
    std::int64_t head = blockIdx.x % given.heads;  // causal: the first keys are seen by most queries, and begin
    int first_key = blockIdx.x / given.heads * (blockDim.x / 32 * kKeys<kOurs>);
    int ours = first_key + threadIdx.x / 32 * kKeys<kOurs>;
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
    start_copy<kKeys<kOurs>, kDim>(own.k, given.k + head * n * kDim, ours, n, our_warp());
    start_copy<kKeys<kOurs>, kDim>(own.v, given.v + head * n * kDim, ours, n, our_warp());
    start_tile(tiles[0], begin);

    float scale = rsqrtf(kDim), sum_k[kOurs][kDim / kLanesAcross] = {}, sum_v[kOurs][kDim / kLanesAcross] = {};
    for (int first = begin, buffer = 0; first < n; first += kQueries, buffer ^= buffers - 1) {
        auto& tile = tiles[buffer];
        int next = first + kQueries;
        wait_for_copies();
        if (buffers == 2 && next < n) start_tile(tiles[buffer ^ 1], next);
        if (!causal || next > ours) {
            float weights[kOurs][kCols] = {}, of_scores[kOurs][kCols] = {};
            multiply_rows<kDim>(weights, own.k, tile.q);
            bool border = next > n || ours + kKeys<kOurs> > n || (causal && first < ours + kKeys<kOurs>);
#pragma unroll
            for (int r = 0; r < kOurs; ++r) {
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
            for (int r = 0; r < kOurs; ++r) {
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
            for (int r = 0; r < kOurs; ++r) {
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

template <int kDim, int kOurs>
void launch_with(Given given, const float* out, float* grad_q, float* grad_k, float* grad_v, cudaStream_t stream) {
    std::int64_t rows = static_cast<std::int64_t>(given.heads) * given.n;
    auto with = [](int buffers) {
        return [=](int warps) { return static_cast<int>(buffers * sizeof(Tile<kDim>) + warps * sizeof(Own<kDim, kOurs>)); };
    };
    auto blocks = [=](int warps) {
        return static_cast<std::int64_t>(given.heads) * ((given.n - 1) / (warps * kKeys<kOurs>) + 1);
    };
    int buffers = fits(with(2)(1)) ? 2 : 1, warps = choose_warps(with(buffers), blocks, kMostWarps);
    int bytes = with(buffers)(warps);

    float* rest;
    cudaMallocAsync(&rest, rows * sizeof(float), stream);
    given.rest = rest;
    rests<<<(rows - 1) / 4 + 1, 128, 0, stream>>>(out, given.grad_out, rest, rows, kDim);
    cudaMemsetAsync(grad_q, 0, rows * kDim * sizeof(float), stream);
    cudaFuncSetAttribute(differentiate<kDim, kOurs>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    differentiate<kDim, kOurs><<<blocks(warps), 32 * warps, bytes, stream>>>(given, grad_q, grad_k, grad_v, buffers);
    cudaFreeAsync(rest, stream);
}

// With 16 keys a warp where 32 would leave multiprocessors with less than four warps. For d = 128 always: the sums of 32
// keys would fill all registers.
template <int kDim>
void launch(Given given, const float* out, float* grad_q, float* grad_k, float* grad_v, cudaStream_t stream) {
    std::int64_t warps = static_cast<std::int64_t>(given.heads) * ((given.n - 1) / 32 + 1);
    bool few = warps < 4 * ask(cudaDevAttrMultiProcessorCount);
    auto run = few ? launch_with<kDim, 4> : launch_with<kDim, kDim == 128 ? 4 : 8>;
    run(given, out, grad_q, grad_k, grad_v, stream);
}

extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* out, const float* lse,
                                   const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n,
                                   int d, int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch<32> : d == 64 ? launch<64> : launch<128>;
    run({q, k, v, lse, grad_out, nullptr, heads, n, causal}, out, grad_q, grad_k, grad_v, stream);
}
