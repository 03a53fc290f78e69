// Rung 3 of 6: seven products from registers.
//
// Each kernel is the loop of the forward pass, rung 5: a warp keeps 32 rows (16 for d = 128), which are keys in one
// kernel and queries in the other, and walks along tiles of 32 others. The scores and their derivatives are products of
// rows with rows, which lanes read as float4 along d (back_tiles.cuh). Both then go through shared memory of the warp's
// own, transposed, and the gradients are products of columns with rows, as in the forward pass (warp_tile.cuh).
//
// No block adds to what another one writes, and the result is the same each time. The price is that the scores and
// their derivatives are computed twice: four products for the keys, three for the queries.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 2_shared_tiles 253 ms, 3_register_tiles 53.3 ms.

#include "../back_tiles.cuh"
#include "../block_size.cuh"

constexpr int kMostWarps = 8, kOthers = 32;                          // of a block; rows of a tile that a warp walks along
template <int kDim> constexpr int kOurs = kDim == 128 ? 4 : 8;       // rows of a thread,
template <int kDim> constexpr int kRows = kLanesDown * kOurs<kDim>;  // and of a warp

// What the warps of a block share: a tile of q and grad_out, or of k and v.
template <int kDim> struct Tile {
    float a[kOthers][kDim + 4], b[kOthers][kDim + 4], lse[kOthers], rest[kOthers];
};
// What each has for itself: its rows of k and v, or of q and grad_out.
template <int kDim> struct Own {
    float a[kRows<kDim>][kDim + 4], b[kRows<kDim>][kDim + 4], lse[kRows<kDim>], rest[kRows<kDim>];
    float weights[kOthers][kRows<kDim> == 32 ? 48 : 16];  // an odd multiple of 16: a quarter writes two rows
};

struct Given {
    const float *q, *k, *v, *lse, *grad_out, *rest;
    int n, causal;
};

// Rows first ... first + kCount - 1 of a matrix, by some threads. Behind the last row, n - 1, that one is loaded again.
template <int kCount, int kDim>
__device__ void load(float (*to)[kDim + 4], const float* from, int first, int n, int thread, int threads) {
    for (int i = 4 * thread; i < kCount * kDim; i += 4 * threads) {
        const float* at = from + static_cast<std::int64_t>(min(first + i / kDim, n - 1)) * kDim + i % kDim;
        *reinterpret_cast<float4*>(&to[i / kDim][i % kDim]) = *reinterpret_cast<const float4*>(at);
    }
}

// kOfKeys: grad_a is that of k, and grad_b that of v; our rows are keys. Otherwise grad_a is that of q.
template <int kDim, bool kOfKeys>
__global__ void __launch_bounds__(32 * kMostWarps) differentiate(Given given, float* grad_a, float* grad_b) {
    constexpr int kCols = kOthers / kLanesAcross;
    extern __shared__ float4 shared[];
    auto& tile = *reinterpret_cast<Tile<kDim>*>(shared);
    auto& own = reinterpret_cast<Own<kDim>*>(&tile + 1)[threadIdx.x / 32];

    int n = given.n, causal = given.causal, lane = threadIdx.x % 32;
    int rows = blockDim.x / 32 * kRows<kDim>, blocks = (n - 1) / rows + 1, first_row = blockIdx.x % blocks * rows;
    int ours = first_row + threadIdx.x / 32 * kRows<kDim>;
    std::int64_t head = blockIdx.x / blocks;
    const float *q = given.q + head * n * kDim, *k = given.k + head * n * kDim, *v = given.v + head * n * kDim;
    const float *grad_out = given.grad_out + head * n * kDim, *lse = given.lse + head * n, *rest = given.rest + head * n;
    int begin = kOfKeys && causal ? first_row / kOthers * kOthers : 0;  // of what our block looks at
    int end = kOfKeys || !causal ? n : min(n, first_row + rows);

    load<kRows<kDim>, kDim>(own.a, kOfKeys ? k : q, ours, n, lane, 32);
    load<kRows<kDim>, kDim>(own.b, kOfKeys ? v : grad_out, ours, n, lane, 32);
    if (lane < kRows<kDim>) own.lse[lane] = lse[min(ours + lane, n - 1)], own.rest[lane] = rest[min(ours + lane, n - 1)];
    float scale = rsqrtf(kDim);
    float sum_a[kOurs<kDim>][kDim / kLanesAcross] = {}, sum_b[kOurs<kDim>][kDim / kLanesAcross] = {};
    for (int first = begin; first < end; first += kOthers) {
        load<kOthers, kDim>(tile.a, kOfKeys ? q : k, first, n, threadIdx.x, blockDim.x);
        load<kOthers, kDim>(tile.b, kOfKeys ? grad_out : v, first, n, threadIdx.x, blockDim.x);
        if (threadIdx.x < kOthers) {
            int at = min(first + static_cast<int>(threadIdx.x), n - 1);
            tile.lse[threadIdx.x] = lse[at], tile.rest[threadIdx.x] = rest[at];
        }
        __syncthreads();
        float weights[kOurs<kDim>][kCols] = {}, of_scores[kOurs<kDim>][kCols] = {};
        multiply_rows<kDim>(weights, own.a, tile.a);
        multiply_rows<kDim>(of_scores, own.b, tile.b);
#pragma unroll
        for (int r = 0; r < kOurs<kDim>; ++r) {
#pragma unroll
            for (int c = 0; c < kCols; ++c) {
                int row = ours + near_of(r), other = first + other_of(c);
                bool counts = other < n && (!causal || (kOfKeys ? row <= other : other <= row));
                float of_query = kOfKeys ? tile.lse[other_of(c)] : own.lse[near_of(r)];
                weights[r][c] = counts ? exp2f(kLog2E * (weights[r][c] * scale - of_query)) : 0.0f;
                of_scores[r][c] -= kOfKeys ? tile.rest[other_of(c)] : own.rest[near_of(r)];
                of_scores[r][c] *= weights[r][c] * scale;
            }
        }
        if (kOfKeys) {
            put_transposed(own.weights, weights, other_of);
            __syncwarp();
            multiply<kOthers>(sum_b, own.weights, tile.b);
            __syncwarp();
        }
        put_transposed(own.weights, of_scores, other_of);
        __syncwarp();
        multiply<kOthers>(sum_a, own.weights, tile.a);
        __syncthreads();
    }
    auto row_is = [=](int r) { return ours + near_of(r); };
    store<kDim>(grad_a + head * n * kDim, sum_a, n, row_is);
    if (kOfKeys) store<kDim>(grad_b + head * n * kDim, sum_b, n, row_is);
}

template <int kDim>
void launch(Given given, const float* out, float* grad_q, float* grad_k, float* grad_v, int heads, cudaStream_t stream) {
    std::int64_t rows = static_cast<std::int64_t>(heads) * given.n;
    auto bytes_of = [](int warps) { return static_cast<int>(sizeof(Tile<kDim>) + warps * sizeof(Own<kDim>)); };
    auto blocks_of = [=](int warps) { return static_cast<std::int64_t>(heads) * ((given.n - 1) / (warps * kRows<kDim>) + 1); };
    int warps = choose_warps(bytes_of, blocks_of, kMostWarps), bytes = bytes_of(warps), threads = 32 * warps;

    float* rest;
    cudaMallocAsync(&rest, rows * sizeof(float), stream);
    given.rest = rest;
    rests<<<(rows - 1) / 4 + 1, 128, 0, stream>>>(out, given.grad_out, rest, rows, kDim);
    cudaFuncSetAttribute(differentiate<kDim, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaFuncSetAttribute(differentiate<kDim, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    differentiate<kDim, true><<<blocks_of(warps), threads, bytes, stream>>>(given, grad_k, grad_v);
    differentiate<kDim, false><<<blocks_of(warps), threads, bytes, stream>>>(given, grad_q, nullptr);
    cudaFreeAsync(rest, stream);
}

extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* out, const float* lse,
                                   const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n,
                                   int d, int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch<32> : d == 64 ? launch<64> : launch<128>;
    run({q, k, v, lse, grad_out, nullptr, n, causal}, out, grad_q, grad_k, grad_v, heads, stream);
}
