// Rung 4 of 4: both products from registers, a warp for 32 queries.
//
// On rung 3 a thread reads a float of shared memory for each multiplication. Here it computes 8 queries x 8 keys of the
// scores, and 8 queries x d / 8 columns of the output, as in lesson 04: each float it reads serves 8 multiplications.
// What is left of the time are the other instructions, so there must be few:
//
// - The work is split over the queries (FlashAttention-2, Dao 2023, section 3.2): a warp keeps its 32 queries, their
//   maxima, sums and outputs, and walks along the keys. So the weights go through shared memory that belongs to the
//   warp alone, and the sums of a row's 8 lanes meet once, at the end.
// - Both products are the same loop, a column times a row, again and again: queries, keys and weights lie in shared
//   memory so that a thread's 8 are two float4. q and k are transposed on their way there, 4 bytes at a time.
// - The next tile of k is on its way while v is used, the next of v while k is. Two barriers a tile are left.
// - What is subtracted from a row's scores need not be their maximum: if it is up to 8 too small (in powers of 2), all
//   weights and their sum are up to 2^8 too large, and the quotient is the same. So after the first tiles hardly any
//   lane asks the others, and nothing shrinks.
// - 2^x is what a GPU computes, so log2(e) / sqrt(d) is folded into one multiplication.
// - A warp leaves out tiles of keys that lie behind all of its queries (causal). Only tiles at the border ask which
//   keys count.
//
// Measured on an H200, 4 x 32 heads of 4096, d = 64: 11.9 ms, 46.3 TFLOP/s, where cuBLAS reaches 51.1 with plain matrix
// products: 1.29 times as fast as torch's memory-efficient attention, 2.4 times as rung 3. Causal 6.5 ms, 1.25 times
// as fast as torch's. 16 heads of 4096: d = 32: 2.1 times as fast, d = 64: 1.37 times, d = 128: 1.03 times. 16 heads of
// 512 are too little for the GPU: 0.89 times. The backward pass: 44.9 ms, 0.87 times as fast as torch's, which has 5
// products to compute instead of 7.
//
// What did not help there, or cost: both products with float4 along d, queries and keys as they are (13.3 ms); no to
// and fro in the products (1 % more), shrinking in each tile (1 %); a loop of 4 steps in a line (3 %), of 64 (twice the
// time: the code no longer fits where instructions are kept); 2^x without exp2f's care for results below 2^-126 (the
// same); k through registers (the same); 4 warps a block (1 % more, if not causal); lanes numbered row after row (1 %
// more, 4 % for d = 32 and 128).

#include <cuda_pipeline.h>

#include <cmath>
#include <cstdint>

constexpr int kLanesDown = 4, kLanesAcross = 8;  // how the lanes of a warp lie in its tile
constexpr int kMostWarps = 8;                    // of a block
constexpr unsigned kAll = 0xffffffffu;
constexpr float kLog2E = 1.44269504f;

// Bits 0 and 2 of the lane count down, bits 1, 3 and 4 across: T and T ^ 1 read the same columns, T and T ^ 2 the same
// rows, so that a load of float4 takes 2 turns of the shared memory instead of 4 (lesson 04, rung 6).
__device__ int lane_down() { return (threadIdx.x & 1) | (threadIdx.x >> 1 & 2); }
__device__ int lane_across() { return (threadIdx.x >> 1 & 1) | (threadIdx.x >> 2 & 6); }

// Which rows and columns of the warp's are ours: groups of four.
__device__ int row_of(int r) { return 4 * lane_down() + r / 4 * 4 * kLanesDown + r % 4; }
__device__ int col_of(int c) { return 4 * lane_across() + c / 4 * 4 * kLanesAcross + c % 4; }

// Combines the values of the 8 lanes that have the same rows.
template <class Combine> __device__ float over_row(float x, Combine combine) {
    for (int bit : {2, 8, 16}) x = combine(x, __shfl_xor_sync(kAll, x, bit));
    return x;
}

// Groups of four floats, `apart` floats from each other, from shared memory.
template <int kCount> __device__ __forceinline__ void take(float (&to)[kCount], const float* from, int apart) {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
        *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i / 4 * apart);
    }
}

// sum[r][c] += a[i][row_of(r)] * b[i][col_of(c)], for all i below kCount. The floats for the next multiplications are
// read during these. They go to and fro, so that each shares a factor with the one before it.
template <int kCount, int kRows, int kCols, int kStrideA, int kStrideB>
__device__ __forceinline__ void multiply(float (&sum)[kRows][kCols], const float (*a)[kStrideA],
                                         const float (*b)[kStrideB]) {
    float column[2][kRows], row[2][kCols];
    auto take_both = [&](int to, int i) {
        take(column[to], &a[i][row_of(0)], 4 * kLanesDown);
        take(row[to], &b[i][col_of(0)], 4 * kLanesAcross);
    };
    take_both(0, 0);
#pragma unroll 16
    for (int i = 0; i < kCount; ++i) {
        take_both((i + 1) % 2, (i + 1) % kCount);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
#pragma unroll
            for (int j = 0; j < kCols; ++j) {
                int c = r % 2 == 0 ? j : kCols - 1 - j;
                sum[r][c] += column[i % 2][r] * row[i % 2][c];
            }
        }
    }
}

// Who copies: a warp for itself, or the block.
struct Crew {
    int thread, threads;
};
__device__ Crew our_warp() { return {static_cast<int>(threadIdx.x % 32), 32}; }
__device__ Crew our_block() { return {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)}; }

// Starts to copy rows first ... first + kCount - 1 of a matrix into shared memory. Behind the last row, n - 1, that one
// is copied again: the caller must see to it that it does not count twice.
template <int kCount, int kDim, int kStride>
__device__ __forceinline__ void start_copy(float (*to)[kStride], const float* from, int first, int n, Crew crew) {
    constexpr int kLanes = kDim / 4;
    int col = crew.thread % kLanes * 4;
#pragma unroll 4
    for (int row = crew.thread / kLanes; row < kCount; row += crew.threads / kLanes) {
        const float* at = from + static_cast<std::int64_t>(min(first + row, n - 1)) * kDim + col;
        __pipeline_memcpy_async(&to[row][col], at, 16);
    }
}

// The same, transposed. A warp copies 8 floats of 4 rows: whole sectors, and into all banks.
template <int kCount, int kDim, int kStride>
__device__ __forceinline__ void start_transposed(float (*to)[kStride], const float* from, int first, int n,
                                                 Crew crew) {
    int col = crew.thread % 8;
#pragma unroll 4
    for (int row = crew.thread / 8; row < kCount; row += crew.threads / 8) {
        const float* at = from + static_cast<std::int64_t>(min(first + row, n - 1)) * kDim + col;
#pragma unroll
        for (int i = 0; i < kDim; i += 8) __pipeline_memcpy_async(&to[col + i][row], at + i, 4);
    }
}

// Our part of a tile into shared memory, column after column; col_is(c) is the tile's column.
template <int kRowsOurs, int kCols, int kStride, class ColIs>
__device__ __forceinline__ void put_transposed(float (*to)[kStride], const float (&from)[kRowsOurs][kCols],
                                               ColIs col_is) {
#pragma unroll
    for (int c = 0; c < kCols; ++c) {
#pragma unroll
        for (int r = 0; r < kRowsOurs; r += 4) {
            float4 four = make_float4(from[r][c], from[r + 1][c], from[r + 2][c], from[r + 3][c]);
            *reinterpret_cast<float4*>(&to[col_is(c)][row_of(r)]) = four;
        }
    }
}

// Our part of rows of a matrix with n rows; row_is(r) is the matrix's row.
template <int kDim, int kRowsOurs, class RowIs>
__device__ __forceinline__ void store(float* to, const float (&from)[kRowsOurs][kDim / kLanesAcross], int n,
                                      RowIs row_is) {
#pragma unroll
    for (int r = 0; r < kRowsOurs; ++r) {
        float* row = to + static_cast<std::int64_t>(row_is(r)) * kDim;
        if (row_is(r) >= n) continue;
#pragma unroll
        for (int c = 0; c < kDim / kLanesAcross; c += 4) {
            float4 four = make_float4(from[r][c], from[r][c + 1], from[r][c + 2], from[r][c + 3]);
            __stcs(reinterpret_cast<float4*>(row + col_of(c)), four);  // an assignment nvcc may take apart, into floats
        }
    }
}

// All that was started has arrived, for all threads of the block; and what they read before may be overwritten.
__device__ __forceinline__ void wait_for_copies() {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

int ask(cudaDeviceAttr what) {
    int device, answer;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&answer, what, device);
    return answer;
}

bool fits(int bytes) { return bytes <= ask(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

// A block's warps: fewer than `most` where these do not fit, or would leave a third of the GPU without a block.
template <class Bytes, class Blocks> int choose_warps(Bytes bytes_of, Blocks blocks_of, int most = kMostWarps) {
    int multiprocessors = ask(cudaDevAttrMultiProcessorCount), warps = most;
    while (warps > 1 && (!fits(bytes_of(warps)) || 3 * blocks_of(warps) < 2 * multiprocessors)) warps /= 2;
    return warps;
}

// ---- forward ----

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
    attend(const float* q, const float* k, const float* v, float* out, float* lse, int n, int causal, float factor) {
    constexpr int kTile = kKeys<kDim>;
    extern __shared__ float4 shared[];
    auto& tiles = *reinterpret_cast<Tiles<kDim>*>(shared);
    auto& own = reinterpret_cast<Own<kDim>*>(&tiles + 1)[threadIdx.x / 32];

    int queries = blockDim.x / 32 * kQueries, blocks = (n - 1) / queries + 1;
    std::int64_t head = blockIdx.x / blocks;
    int first_query = (blocks - 1 - blockIdx.x % blocks) * queries;  // causal: those with most to do begin
    int ours = first_query + threadIdx.x / 32 * kQueries;            // the first of our warp
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
    // Causal blocks differ in length: smaller ones share the GPU more evenly, where a multiprocessor has room for two.
    int warps = choose_warps(bytes, blocks, causal && kDim < 128 ? kMostWarps / 2 : kMostWarps);
    cudaFuncSetAttribute(attend<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes(warps));
    float factor = kLog2E / std::sqrt(static_cast<float>(kDim));
    attend<kDim><<<blocks(warps), 32 * warps, bytes(warps), stream>>>(q, k, v, out, lse, n, causal, factor);
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch<32> : d == 64 ? launch<64> : launch<128>;
    run(q, k, v, out, lse, heads, n, causal, stream);
}

// ---- backward, the bonus: weights are computed again, from lse (Dao et al. 2022, appendix B.2) ----
//
//     weight   = exp(score - lse)                    grad_v = sum over the queries of weight * grad_out
//     of_score = weight * (grad_out . v - rest)      grad_q = sum over the keys of of_score * k / sqrt(d)
//     rest     = grad_out . out                      grad_k = sum over the queries of of_score * q / sqrt(d)
//
// One kernel for grad_k and grad_v, where a warp keeps keys and walks along the queries, and one for grad_q, where it
// is the other way round: so nobody adds to what another one writes, and the result is the same each time. The price
// is that the scores are computed twice, 7 products instead of 5.

template <int kDim> struct Back {
    static constexpr int kOthers = 32;                          // rows of a tile that a warp walks along
    static constexpr int kOurs = kDim == 128 ? 4 : 8;           // rows of a thread,
    static constexpr int kWarpRows = kLanesDown * kOurs;        // and of a warp
    float a[kOthers][kDim + 4], b[kOthers][kDim + 4];           // a tile of q and grad_out, or of k and v
    float lse[kOthers], rest[kOthers];
};
template <int kDim> struct BackOwn {
    static constexpr int kWarpRows = Back<kDim>::kWarpRows;
    float a[kWarpRows][kDim + 4], b[kWarpRows][kDim + 4];       // k and v, or q and grad_out
    float weights[Back<kDim>::kOthers][kWarpRows == 32 ? 48 : 16];  // an odd multiple of 16: a quarter writes two rows
};

// sum[r][c] += the product of row near_of(r) of a and row other_of(c) of b: lanes read float4 along both.
__device__ int near_of(int r) { return lane_down() + r * kLanesDown; }
__device__ int other_of(int c) { return lane_across() + c * kLanesAcross; }

template <int kDim, int kOurs, int kCols>
__device__ __forceinline__ void multiply_rows(float (&sum)[kOurs][kCols], const float (*a)[kDim + 4],
                                              const float (*b)[kDim + 4]) {
#pragma unroll 2
    for (int i = 0; i < kDim; i += 4) {
        float row[kOurs][4], col[kCols][4];
#pragma unroll
        for (int c = 0; c < kCols; ++c) take(col[c], &b[other_of(c)][i], 4);
#pragma unroll
        for (int r = 0; r < kOurs; ++r) take(row[r], &a[near_of(r)][i], 4);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
#pragma unroll
            for (int r = 0; r < kOurs; ++r) {
#pragma unroll
                for (int j = 0; j < kCols; ++j) {
                    int c = r % 2 == 0 ? j : kCols - 1 - j;
                    sum[r][c] += row[r][e] * col[c][e];
                }
            }
        }
    }
}

// grad_out . out of one row, for all lanes of a warp.
template <int kDim> __device__ float dot(const float* x, const float* y) {
    float sum = 0;
    for (int c = threadIdx.x % 32; c < kDim; c += 32) sum += x[c] * y[c];
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(kAll, sum, bit);
    return sum;
}

template <int kDim>
__global__ void rests(const float* out, const float* grad_out, float* rest, std::int64_t rows) {
    std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    float sum = dot<kDim>(grad_out + row * kDim, out + row * kDim);
    if (threadIdx.x % 32 == 0) rest[row] = sum;
}

// What both kernels read. `rest` lies where grad_q will be: only the second kernel writes there.
struct Given {
    const float *q, *k, *v, *out, *lse, *grad_out, *rest;
    int n, causal;
};

// kOfKeys: grad_a is that of k, and grad_b that of v; our rows are keys. Otherwise grad_a is that of q.
template <int kDim, bool kOfKeys>
__global__ void __launch_bounds__(32 * kMostWarps)
    differentiate(Given given, float* grad_a, float* grad_b, int buffers) {
    using B = Back<kDim>;
    constexpr int kOurs = B::kOurs, kCols = B::kOthers / kLanesAcross;
    extern __shared__ float4 shared[];
    auto* tiles = reinterpret_cast<B*>(shared);
    auto& own = reinterpret_cast<BackOwn<kDim>*>(tiles + buffers)[threadIdx.x / 32];

    int n = given.n, causal = given.causal;
    int rows = blockDim.x / 32 * B::kWarpRows, blocks = (n - 1) / rows + 1;
    std::int64_t head = blockIdx.x / blocks, place = blockIdx.x % blocks;
    int first_row = (kOfKeys ? place : blocks - 1 - place) * rows;  // causal: those with most to do begin
    int ours = first_row + threadIdx.x / 32 * B::kWarpRows;
    const float *q = given.q + head * n * kDim, *k = given.k + head * n * kDim, *v = given.v + head * n * kDim;
    const float *grad_out = given.grad_out + head * n * kDim, *out = given.out + head * n * kDim;
    const float *lse = given.lse + head * n, *rest = given.rest + head * n;
    int begin = kOfKeys && causal ? first_row : 0;                     // of what our block looks at
    int end = kOfKeys || !causal ? n : min(n, first_row + rows);

    auto start_tile = [&](B& tile, int first) {
        start_copy<B::kOthers, kDim>(tile.a, kOfKeys ? q : k, first, n, our_block());
        start_copy<B::kOthers, kDim>(tile.b, kOfKeys ? grad_out : v, first, n, our_block());
        if (kOfKeys && threadIdx.x < B::kOthers) {
            int at = min(first + static_cast<int>(threadIdx.x), n - 1);
            __pipeline_memcpy_async(&tile.lse[threadIdx.x], &lse[at], 4);
            __pipeline_memcpy_async(&tile.rest[threadIdx.x], &rest[at], 4);
        }
    };
    start_copy<B::kWarpRows, kDim>(own.a, kOfKeys ? k : q, ours, n, our_warp());
    start_copy<B::kWarpRows, kDim>(own.b, kOfKeys ? v : grad_out, ours, n, our_warp());
    start_tile(tiles[0], begin);

    float our_lse[kOurs], our_rest[kOurs];
    if (!kOfKeys) {
#pragma unroll
        for (int i = 0; i < B::kWarpRows; ++i) {
            std::int64_t row = min(ours + i, n - 1);
            float sum = dot<kDim>(grad_out + row * kDim, out + row * kDim);
            if (i % kLanesDown == lane_down()) our_rest[i / kLanesDown] = sum, our_lse[i / kLanesDown] = lse[row];
        }
    }
    float scale = rsqrtf(kDim), sum_a[kOurs][kDim / kLanesAcross] = {}, sum_b[kOurs][kDim / kLanesAcross] = {};
    for (int first = begin, buffer = 0; first < end; first += B::kOthers, buffer ^= buffers - 1) {
        auto& tile = tiles[buffer];
        int next = first + B::kOthers;
        wait_for_copies();
        if (buffers == 2 && next < end) start_tile(tiles[buffer ^ 1], next);
        bool unseen = causal && (kOfKeys ? next <= ours : first >= ours + B::kWarpRows);
        if (!unseen) {
            float weights[kOurs][kCols] = {}, of_scores[kOurs][kCols] = {};
            multiply_rows<kDim>(weights, own.a, tile.a);
#pragma unroll
            for (int r = 0; r < kOurs; ++r) {
#pragma unroll
                for (int c = 0; c < kCols; ++c) {
                    float lse_of_query = kOfKeys ? tile.lse[other_of(c)] : our_lse[r];
                    weights[r][c] = exp2f(kLog2E * (weights[r][c] * scale - lse_of_query));
                }
            }
            if (next > n || (causal && (kOfKeys ? first < ours + B::kWarpRows : next > ours))) {
#pragma unroll
                for (int r = 0; r < kOurs; ++r) {
#pragma unroll
                    for (int c = 0; c < kCols; ++c) {
                        int row = ours + near_of(r), other = first + other_of(c);
                        bool later = kOfKeys ? row > other : other > row;
                        if (other >= n || (causal && later)) weights[r][c] = 0;
                    }
                }
            }
            if (kOfKeys) {
                put_transposed(own.weights, weights, other_of);
                __syncwarp();
                multiply<B::kOthers>(sum_b, own.weights, tile.b);
                __syncwarp();
            }
            multiply_rows<kDim>(of_scores, own.b, tile.b);
#pragma unroll
            for (int r = 0; r < kOurs; ++r) {
#pragma unroll
                for (int c = 0; c < kCols; ++c) {
                    float rest_of_query = kOfKeys ? tile.rest[other_of(c)] : our_rest[r];
                    of_scores[r][c] = weights[r][c] * (of_scores[r][c] - rest_of_query);
                }
            }
            put_transposed(own.weights, of_scores, other_of);
            __syncwarp();
            multiply<B::kOthers>(sum_a, own.weights, tile.a);
            __syncwarp();
        }
        if (buffers == 1) {
            __syncthreads();
            if (next < end) start_tile(tile, next);
        }
    }
#pragma unroll
    for (int r = 0; r < kOurs; ++r) {
#pragma unroll
        for (int c = 0; c < kDim / kLanesAcross; ++c) sum_a[r][c] *= scale;
    }
    auto row_is = [=](int r) { return ours + near_of(r); };
    store<kDim>(grad_a + head * n * kDim, sum_a, n, row_is);
    if (kOfKeys) store<kDim>(grad_b + head * n * kDim, sum_b, n, row_is);
}

template <int kDim>
void launch_backward(Given given, float* grad_q, float* grad_k, float* grad_v, int heads, cudaStream_t stream) {
    using B = Back<kDim>;
    auto with = [](int buffers) {
        return [=](int warps) { return static_cast<int>(buffers * sizeof(B) + warps * sizeof(BackOwn<kDim>)); };
    };
    auto blocks = [=](int warps) {
        return static_cast<std::int64_t>(heads) * ((given.n - 1) / (warps * B::kWarpRows) + 1);
    };
    int buffers = fits(with(2)(1)) ? 2 : 1, warps = choose_warps(with(buffers), blocks), bytes = with(buffers)(warps);

    float* rest = grad_q;
    given.rest = rest;
    std::int64_t rows = static_cast<std::int64_t>(heads) * given.n;
    rests<kDim><<<(rows - 1) / 4 + 1, 128, 0, stream>>>(given.out, given.grad_out, rest, rows);
    cudaFuncSetAttribute(differentiate<kDim, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaFuncSetAttribute(differentiate<kDim, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    differentiate<kDim, true><<<blocks(warps), 32 * warps, bytes, stream>>>(given, grad_k, grad_v, buffers);
    differentiate<kDim, false><<<blocks(warps), 32 * warps, bytes, stream>>>(given, grad_q, nullptr, buffers);
}

extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* out, const float* lse,
                                   const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n,
                                   int d, int causal, cudaStream_t stream) {
    auto run = d == 32 ? launch_backward<32> : d == 64 ? launch_backward<64> : launch_backward<128>;
    run({q, k, v, out, lse, grad_out, nullptr, n, causal}, grad_q, grad_k, grad_v, heads, stream);
}
