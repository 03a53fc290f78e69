// Right, but tiles of keys that no query of the block may see are loaded and multiplied, and weigh nothing.
// Expect: passed, 2 stars

#include <cuda_pipeline.h>

#include <cmath>
#include <cstdint>

constexpr int kLanesDown = 4, kLanesAcross = 8;
constexpr int kQueries = 32;                     // of a warp
constexpr int kRows = kQueries / kLanesDown;     // of a thread: kLanesDown apart
constexpr unsigned kAll = 0xffffffffu;

template <int kDim> struct Shape {
    static constexpr int kKeys = kDim == 128 ? 32 : 64;  // of a tile
    static constexpr int kKeysOurs = kKeys / kLanesAcross, kColsOurs = kDim / kLanesAcross;
    static constexpr int kMostWarps = kDim == 128 ? 8 : 4;  // 8 on a multiprocessor, with 255 registers a thread
};

// What the warps of a block share, and what each has for itself.
template <int kDim> struct Tiles {
    float k[Shape<kDim>::kKeys][kDim + 4];
    float v[Shape<kDim>::kKeys][kDim];
};
template <int kDim> struct Own {
    float q[kQueries][kDim + 4];
    float weights[kQueries][Shape<kDim>::kKeys + 8];
};

// Which of the warp's rows and columns are ours: bits 0 and 3 of the lane, and bits 1, 2 and 4.
__device__ int lane_down() { return (threadIdx.x & 1) | (threadIdx.x >> 2 & 2); }
__device__ int lane_across() { return (threadIdx.x >> 1 & 3) | (threadIdx.x >> 2 & 4); }

// Combines the values of the 8 lanes that have the same rows.
template <class Combine> __device__ float over_row(float x, Combine combine) {
    for (int bit : {2, 4, 16}) x = combine(x, __shfl_xor_sync(kAll, x, bit));
    return x;
}

__device__ void take(float (&to)[4], const float* from) {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

// Starts to copy kCount rows, of which `there` exist, into shared memory; the others become zeros.
template <int kCount, int kDim, int kStride>
__device__ void start_copy(float (&to)[kCount][kStride], const float* from, int there, int thread, int threads) {
    constexpr int kPieces = kDim / 4;  // of a row; threads are a multiple of that
    int col = thread % kPieces * 4;
    for (int row = thread / kPieces; row < kCount; row += threads / kPieces) {
        bool inside = row < there;
        __pipeline_memcpy_async(&to[row][col], from + (inside ? row * kDim + col : 0), 16, inside ? 0 : 16);
    }
    __pipeline_commit();
}

// All that was started has arrived, for all threads of the block; and what they read before may be overwritten.
__device__ void wait_for_copies() {
    __pipeline_wait_prior(0);
    __syncthreads();
}

// scores[r][c] = the product of our r-th query and our c-th key.
template <int kDim, int kOurs>
__device__ void multiply_keys(float (&scores)[kRows][kOurs], const Own<kDim>& own, const Tiles<kDim>& tiles) {
#pragma unroll 2
    for (int i = 0; i < kDim; i += 4) {
        float key[kOurs][4];
#pragma unroll
        for (int c = 0; c < kOurs; ++c) take(key[c], &tiles.k[lane_across() + c * kLanesAcross][i]);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            float query[4];
            take(query, &own.q[lane_down() + r * kLanesDown][i]);
#pragma unroll
            for (int e = 0; e < 4; ++e) {
#pragma unroll
                for (int c = 0; c < kOurs; ++c) scores[r][c] += query[e] * key[c][e];
            }
        }
    }
}

// output += weights * v; column c of ours is 4 * across + c % 4, 32 further for each 4 of c.
template <int kDim, int kOurs>
__device__ void multiply_values(float (&output)[kRows][kOurs], const Own<kDim>& own, const Tiles<kDim>& tiles) {
#pragma unroll 1
    for (int i = 0; i < Shape<kDim>::kKeys; i += 4) {
        float weight[kRows][4];
#pragma unroll
        for (int r = 0; r < kRows; ++r) take(weight[r], &own.weights[lane_down() + r * kLanesDown][i]);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            float value[kOurs / 4][4];
#pragma unroll
            for (int g = 0; g < kOurs / 4; ++g) take(value[g], &tiles.v[i + e][4 * lane_across() + 32 * g]);
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
#pragma unroll
                for (int c = 0; c < kOurs; ++c) output[r][c] += weight[r][e] * value[c / 4][c % 4];
            }
        }
    }
}

// Our part of one row: its maximum so far (in powers of 2) and the sum of the weights that our lane has seen.
struct Running {
    float top = -INFINITY, sum = 0;

    // Turns scores into weights 2^(score * factor - top), with the maximum of all lanes and all tiles so far. Returns
    // by what all that was summed up before shrinks. Each row has a key in the first tile, so top is finite from then.
    template <int kOurs> __device__ float take_in(float (&scores)[kOurs], float factor) {
        float largest = scores[0];
#pragma unroll
        for (int c = 1; c < kOurs; ++c) largest = fmaxf(largest, scores[c]);
        largest = over_row(largest, [](float x, float y) { return fmaxf(x, y); });
        float higher = fmaxf(top, largest * factor);
        float shrink = exp2f(top - higher);
        top = higher;
        sum *= shrink;
#pragma unroll
        for (int c = 0; c < kOurs; ++c) {
            scores[c] = exp2f(scores[c] * factor - top);
            sum += scores[c];
        }
        return shrink;
    }
};

template <int kDim>
__global__ void __launch_bounds__(32 * Shape<kDim>::kMostWarps)
    attend(const float* q, const float* k, const float* v, float* out, float* lse, int n, int causal, float factor) {
    using S = Shape<kDim>;
    extern __shared__ float4 shared[];
    auto& tiles = *reinterpret_cast<Tiles<kDim>*>(shared);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    auto& own = reinterpret_cast<Own<kDim>*>(&tiles + 1)[warp];

    int queries = blockDim.x;  // 32 of each warp
    int blocks = (n - 1) / queries + 1;
    std::int64_t head = blockIdx.x / blocks;
    int first_query = (blocks - 1 - blockIdx.x % blocks) * queries;  // causal: those with most to do begin
    int ours = first_query + warp * kQueries;                        // the first of our warp
    q += head * n * kDim, k += head * n * kDim, v += head * n * kDim, out += head * n * kDim, lse += head * n;
    int keys = n;
    int all_count = causal ? min(n, ours + 1) : n;          // and that all our queries do

    start_copy<kQueries, kDim>(own.q, q + static_cast<std::int64_t>(ours) * kDim, n - ours, lane, 32);
    start_copy<S::kKeys, kDim>(tiles.k, k, n, threadIdx.x, blockDim.x);
    Running running[kRows];
    float output[kRows][S::kColsOurs] = {};
    for (int first = 0; first < keys; first += S::kKeys) {
        wait_for_copies();
        start_copy<S::kKeys, kDim>(tiles.v, v + static_cast<std::int64_t>(first) * kDim, n - first, threadIdx.x, blockDim.x);
        float scores[kRows][S::kKeysOurs] = {};
        multiply_keys<kDim>(scores, own, tiles);
        if (first + S::kKeys > all_count) {
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
                int count = causal ? min(n, ours + lane_down() + r * kLanesDown + 1) : n;
#pragma unroll
                for (int c = 0; c < S::kKeysOurs; ++c) {
                    if (first + lane_across() + c * kLanesAcross >= count) scores[r][c] = -INFINITY;
                }
            }
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            float shrink = running[r].take_in(scores[r], factor);
#pragma unroll
            for (int c = 0; c < S::kColsOurs; ++c) output[r][c] *= shrink;
            float* weights = own.weights[lane_down() + r * kLanesDown];
#pragma unroll
            for (int c = 0; c < S::kKeysOurs; ++c) weights[lane_across() + c * kLanesAcross] = scores[r][c];
        }
        wait_for_copies();
        int next = first + S::kKeys;
        if (next < keys) {
            start_copy<S::kKeys, kDim>(tiles.k, k + static_cast<std::int64_t>(next) * kDim, n - next, threadIdx.x, blockDim.x);
        }
        multiply_values<kDim>(output, own, tiles);
    }

#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        int row = ours + lane_down() + r * kLanesDown;
        float sum = over_row(running[r].sum, [](float x, float y) { return x + y; });
        if (row >= n) continue;
        if (lane_across() == 0) lse[row] = (running[r].top + log2f(sum)) * 0.693147181f;
        float share = 1 / sum;
        float* row_of_out = out + static_cast<std::int64_t>(row) * kDim;
#pragma unroll
        for (int c = 0; c < S::kColsOurs; c += 4) {
            float4 four = make_float4(output[r][c], output[r][c + 1], output[r][c + 2], output[r][c + 3]);
            four.x *= share, four.y *= share, four.z *= share, four.w *= share;
            *reinterpret_cast<float4*>(row_of_out + 4 * lane_across() + 8 * c) = four;
        }
    }
}

template <int kDim>
void launch(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int causal,
            cudaStream_t stream) {
    int device, most_bytes, multiprocessors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    auto bytes = [](int warps) { return static_cast<int>(sizeof(Tiles<kDim>) + warps * sizeof(Own<kDim>)); };
    auto blocks = [=](int warps) { return static_cast<std::int64_t>(heads) * ((n - 1) / (warps * kQueries) + 1); };
    int warps = Shape<kDim>::kMostWarps;  // fewer where they do not fit, or leave multiprocessors without a block
    while (warps > 1 && (bytes(warps) > most_bytes || blocks(warps) < multiprocessors)) warps /= 2;
    cudaFuncSetAttribute(attend<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes(warps));
    float factor = 1.44269504f / std::sqrt(static_cast<float>(kDim));
    attend<kDim><<<blocks(warps), 32 * warps, bytes(warps), stream>>>(q, k, v, out, lse, n, causal, factor);
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch<32> : d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, heads, n, causal, stream);
}
