// Rung 4 of 8: both products from registers.
//
// On rung 3 a thread reads a float of shared memory for each multiplication. Here both products are lesson 04's
// register tile: 128 threads compute 64 queries x 64 keys of scores, a thread 8 x 4 of them, and 64 queries x d of the
// output, a thread 8 x d / 16. Each float that a thread reads serves 4 to 8 multiplications.
//
// A row of scores now belongs to 16 threads. So the scores go through shared memory, and a thread for each query reads
// its row: the largest score, the weights, their sum, and by how much the output has to shrink. While 64 threads do
// that, 64 wait; and each step waits at a barrier for the one before it. Rung 5 changes that.
//
// On an H200, heads=128 n=4096 d=64 causal=0: 3_shared_tiles 29.7 ms, 4_register_products 21.6 ms.
// On an H200, heads=16 n=4096 d=128 causal=0: 3_shared_tiles 21.5 ms, 4_register_products 7.52 ms.
// With d = 128 a thread's numbers fit into its registers now. Causal takes nearly as long.

#include <cmath>
#include <cstdint>

constexpr int kQueries = 64, kKeys = 64;            // of a tile
constexpr int kAcross = 16, kThreads = 8 * kAcross;  // how the threads lie in a tile
constexpr int kRows = kQueries / 8;                  // of a thread

// In shared memory: 87 KB for d = 128, and more than 48 KB must be asked for at run time. q and k are transposed, so that
// the threads of a warp read neighbours; with rows 4 floats longer, the lanes that write a column use all banks.
template <int kDim> struct Tiles {
    float q[kDim][kQueries + 4];
    union {
        float k[kDim][kKeys + 4];
        float v[kKeys][kDim];
    };
    float scores[kKeys][kQueries + 4];  // then the weights
    float shrink[kQueries];
};

// Rows first ... first + kQueries - 1 of a matrix, transposed, with zeros behind row n - 1.
template <int kDim> __device__ void load_transposed(float (*to)[kQueries + 4], const float* rows, int first, int n) {
    for (int i = threadIdx.x; i < kQueries * kDim; i += kThreads) {
        int col = i % 8 + i / (8 * kQueries) * 8, row = i / 8 % kQueries;  // a warp: 8 floats of 4 rows
        to[col][row] = first + row < n ? rows[static_cast<std::int64_t>(first + row) * kDim + col] : 0.0f;
    }
}

// sum[r][c] += a[i][8 * down + r] * b[i][across + 16 * c], for all i below kCount.
template <int kCount, int kCols, int kStride>
__device__ void multiply(float (&sum)[kRows][kCols], const float (*a)[kQueries + 4], const float (*b)[kStride]) {
    int down = threadIdx.x / kAcross, across = threadIdx.x % kAcross;
#pragma unroll 8
    for (int i = 0; i < kCount; ++i) {
        float4 upper = *reinterpret_cast<const float4*>(&a[i][kRows * down]);
        float4 lower = *reinterpret_cast<const float4*>(&a[i][kRows * down + 4]);
        float column[kRows] = {upper.x, upper.y, upper.z, upper.w, lower.x, lower.y, lower.z, lower.w};
#pragma unroll
        for (int c = 0; c < kCols; ++c) {
            float other = b[i][across + kAcross * c];
#pragma unroll
            for (int r = 0; r < kRows; ++r) sum[r][c] += column[r] * other;
        }
    }
}

template <int kDim>
__global__ void __launch_bounds__(kThreads)
    attend(const float* q, const float* k, const float* v, float* out, float* lse, int n, int causal, float factor) {
    extern __shared__ float4 shared[];
    auto& tiles = *reinterpret_cast<Tiles<kDim>*>(shared);
    int blocks = (n - 1) / kQueries + 1, first_query = blockIdx.x % blocks * kQueries;
    std::int64_t head = blockIdx.x / blocks;
    int down = threadIdx.x / kAcross, across = threadIdx.x % kAcross;
    int query = first_query + threadIdx.x;  // whose softmax is ours, for the first 64 threads
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;

    load_transposed<kDim>(tiles.q, q, first_query, n);
    float output[kRows][kDim / kAcross] = {}, top = -INFINITY, sum = 0;
    for (int first = 0; first < n; first += kKeys) {
        load_transposed<kDim>(tiles.k, k, first, n);
        __syncthreads();
        float scores[kRows][kKeys / kAcross] = {};
        multiply<kDim>(scores, tiles.q, tiles.k);
        for (int c = 0; c < kKeys / kAcross; ++c) {
            for (int r = 0; r < kRows; ++r) tiles.scores[across + kAcross * c][kRows * down + r] = scores[r][c];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < kKeys * kDim; i += kThreads) {
            int row = min(first + i / kDim, n - 1);
            tiles.v[i / kDim][i % kDim] = v[static_cast<std::int64_t>(row) * kDim + i % kDim];
        }
        if (threadIdx.x < kQueries) {
            float higher = top, before = top;
            int keys = min(causal ? query + 1 : n, n) - first;  // of this tile that our query looks at
            for (int j = 0; j < min(keys, kKeys); ++j) higher = fmaxf(higher, tiles.scores[j][threadIdx.x] * factor);
            top = higher;
            float shrink = expf(before - top);
            sum *= shrink;
            for (int j = 0; j < kKeys; ++j) {
                float weight = j < keys ? expf(tiles.scores[j][threadIdx.x] * factor - top) : 0.0f;
                tiles.scores[j][threadIdx.x] = weight;
                sum += weight;
            }
            tiles.shrink[threadIdx.x] = shrink;
        }
        __syncthreads();
        for (int r = 0; r < kRows; ++r) {
            for (int c = 0; c < kDim / kAcross; ++c) output[r][c] *= tiles.shrink[kRows * down + r];
        }
        multiply<kKeys>(output, tiles.scores, tiles.v);
        __syncthreads();
    }
    if (threadIdx.x < kQueries) tiles.shrink[threadIdx.x] = 1 / sum;
    if (threadIdx.x < kQueries && query < n) lse[query] = top + logf(sum);
    __syncthreads();
    for (int r = 0; r < kRows; ++r) {
        int row = first_query + kRows * down + r;
        for (int c = 0; c < kDim / kAcross && row < n; ++c) {
            out[static_cast<std::int64_t>(row) * kDim + across + kAcross * c] =
                output[r][c] * tiles.shrink[kRows * down + r];
        }
    }
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    unsigned blocks = heads * ((n - 1) / kQueries + 1);
    auto kernel = d == 32 ? attend<32> : d == 64 ? attend<64> : attend<128>;
    int bytes = d == 32 ? sizeof(Tiles<32>) : d == 64 ? sizeof(Tiles<64>) : sizeof(Tiles<128>);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<blocks, kThreads, bytes, stream>>>(q, k, v, out, lse, n, causal, 1 / std::sqrt(static_cast<float>(d)));
}
