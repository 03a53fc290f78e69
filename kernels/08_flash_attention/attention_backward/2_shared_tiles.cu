// Rung 2 of 6: tiles in shared memory.
//
// The 64 rows of a block need the same other rows. As on rung 3 of the forward pass, its threads load 32 of each matrix
// together, neighbours next to each other, and each then walks along them; our own rows come through shared memory,
// too.
//
// grad_out . out is one number for each query. Rung 1 computes it again for each key; here a small kernel does it
// before all else, a warp for each query.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 1_thread_a_row 239 ms, 2_shared_tiles 253 ms.
// It is slower than rung 1. It loads 80 times fewer bytes, but those were in the caches, and both wait for something
// else: a thread that has a key has 4 d numbers, more than there are registers, and takes a float of shared memory for
// each multiplication. Rung 3 needs these tiles for its registers.

#include <cmath>
#include <cstdint>

constexpr int kOurs = 64;    // rows of a block: one a thread
constexpr int kOthers = 32;  // rows of a tile

// Rows first ... first + kOthers - 1 of a matrix, with zeros behind row n - 1.
template <int kDim> __device__ void load(float (&tile)[kOthers][kDim], const float* rows, int first, int n) {
    for (int i = threadIdx.x; i < kOthers * kDim; i += kOurs) {
        int row = first + i / kDim;
        tile[i / kDim][i % kDim] = row < n ? rows[static_cast<std::int64_t>(row) * kDim + i % kDim] : 0.0f;
    }
}

// Row first + threadIdx.x of a matrix, through the tile.
template <int kDim>
__device__ void load_ours(float (&ours)[kDim], float (&tile)[kOthers][kDim], const float* rows, int first, int n) {
    for (int part = 0; part < kOurs; part += kOthers) {
        load<kDim>(tile, rows, first + part, n);
        __syncthreads();
        if (threadIdx.x / kOthers * kOthers == part) {
            for (int c = 0; c < kDim; ++c) ours[c] = tile[threadIdx.x % kOthers][c];
        }
        __syncthreads();
    }
}

template <int kDim> __device__ float dot(const float* x, const float* y) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < kDim; ++c) sum += x[c] * y[c];
    return sum;
}

// rest[row] = grad_out . out of one row: a warp for each.
__global__ void rests(const float* out, const float* grad_out, float* rest, std::int64_t rows, int d) {
    std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    float sum = 0;
    for (int c = threadIdx.x % 32; c < d; c += 32) sum += grad_out[row * d + c] * out[row * d + c];
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, bit);
    if (threadIdx.x % 32 == 0) rest[row] = sum;
}

// A thread for each query, which walks along the keys.
template <int kDim>
__global__ void __launch_bounds__(kOurs) of_queries(const float* q, const float* k, const float* v, const float* lse,
                                                    const float* grad_out, const float* rest, float* grad_q, int n,
                                                    int causal, float scale) {
    __shared__ float ks[kOthers][kDim], vs[kOthers][kDim];
    int blocks = (n - 1) / kOurs + 1, first_query = blockIdx.x % blocks * kOurs, query = first_query + threadIdx.x;
    std::int64_t at = static_cast<std::int64_t>(blockIdx.x / blocks) * n;  // of this head
    float ours[kDim], ours_out[kDim], sum[kDim] = {};
    load_ours<kDim>(ours, ks, q + at * kDim, first_query, n);
    load_ours<kDim>(ours_out, ks, grad_out + at * kDim, first_query, n);
    float our_lse = lse[at + min(query, n - 1)], our_rest = rest[at + min(query, n - 1)];
    int keys = min(causal ? query + 1 : n, n);  // that our query looks at
    for (int first = 0; first < n; first += kOthers) {
        load<kDim>(ks, k + at * kDim, first, n);
        load<kDim>(vs, v + at * kDim, first, n);
        __syncthreads();
        for (int j = 0; j < min(kOthers, keys - first); ++j) {
            float weight = expf(dot<kDim>(ours, ks[j]) * scale - our_lse);
            float of_score = weight * (dot<kDim>(ours_out, vs[j]) - our_rest) * scale;
#pragma unroll
            for (int c = 0; c < kDim; ++c) sum[c] += of_score * ks[j][c];
        }
        __syncthreads();
    }
    if (query >= n) return;
    for (int c = 0; c < kDim; ++c) grad_q[(at + query) * kDim + c] = sum[c];
}

// A thread for each key, which walks along the queries.
template <int kDim>
__global__ void __launch_bounds__(kOurs) of_keys(const float* q, const float* k, const float* v, const float* lse,
                                                 const float* grad_out, const float* rest, float* grad_k, float* grad_v,
                                                 int n, int causal, float scale) {
    __shared__ float qs[kOthers][kDim], grads[kOthers][kDim], lses[kOthers], of_outs[kOthers];
    int blocks = (n - 1) / kOurs + 1, first_key = blockIdx.x % blocks * kOurs, key = first_key + threadIdx.x;
    std::int64_t at = static_cast<std::int64_t>(blockIdx.x / blocks) * n;  // of this head
    float ours[kDim], ours_v[kDim], sum_k[kDim] = {}, sum_v[kDim] = {};
    load_ours<kDim>(ours, qs, k + at * kDim, first_key, n);
    load_ours<kDim>(ours_v, qs, v + at * kDim, first_key, n);
    for (int first = 0; first < n; first += kOthers) {
        load<kDim>(qs, q + at * kDim, first, n);
        load<kDim>(grads, grad_out + at * kDim, first, n);
        if (threadIdx.x < kOthers && first + threadIdx.x < n) {
            lses[threadIdx.x] = lse[at + first + threadIdx.x];
            of_outs[threadIdx.x] = rest[at + first + threadIdx.x];
        }
        __syncthreads();
        for (int j = causal ? max(0, key - first) : 0; j < min(kOthers, n - first); ++j) {
            float weight = expf(dot<kDim>(ours, qs[j]) * scale - lses[j]);
            float of_score = weight * (dot<kDim>(ours_v, grads[j]) - of_outs[j]) * scale;
#pragma unroll
            for (int c = 0; c < kDim; ++c) sum_k[c] += of_score * qs[j][c], sum_v[c] += weight * grads[j][c];
        }
        __syncthreads();
    }
    if (key >= n) return;
    for (int c = 0; c < kDim; ++c) {
        grad_k[(at + key) * kDim + c] = sum_k[c];
        grad_v[(at + key) * kDim + c] = sum_v[c];
    }
}

template <int kDim>
void launch(const float* q, const float* k, const float* v, const float* out, const float* lse, const float* grad_out,
            float* grad_q, float* grad_k, float* grad_v, int heads, int n, int causal, cudaStream_t stream) {
    std::int64_t rows = static_cast<std::int64_t>(heads) * n;
    unsigned blocks = heads * ((n - 1) / kOurs + 1);
    float *rest, scale = 1 / std::sqrt(static_cast<float>(kDim));
    cudaMallocAsync(&rest, rows * sizeof(float), stream);
    rests<<<(rows - 1) / 4 + 1, 128, 0, stream>>>(out, grad_out, rest, rows, kDim);
    of_keys<kDim><<<blocks, kOurs, 0, stream>>>(q, k, v, lse, grad_out, rest, grad_k, grad_v, n, causal, scale);
    of_queries<kDim><<<blocks, kOurs, 0, stream>>>(q, k, v, lse, grad_out, rest, grad_q, n, causal, scale);
    cudaFreeAsync(rest, stream);
}

extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* out, const float* lse,
                                   const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n,
                                   int d, int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch<32> : d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, grad_out, grad_q, grad_k, grad_v, heads, n, causal, stream);
}
