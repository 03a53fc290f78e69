// Rung 13 of 13: split k.
//
// 256 x 256 outputs are two tiles of 128 x 256, or eight of 64 x 128: on rung 12 most of the GPU has nothing to do,
// however long the sums. Here blocks divide a tile's sums, along k, and each adds up its part alone.
//
// Where do the parts meet? Each lies in a matrix of its own in scratch memory, and a second launch adds these up in
// their order: the result is the same in every run, to the last bit. The memory is taken and given back in the order of
// the stream (cudaMallocAsync).
//
// It pays where parts are many: a divided sum takes a second launch, and what all parts have is written and read once
// more. With less than 8 parts, this is rung 12.
//
// On an H200, m=256 n=256 k=2^16: 12_tile_by_size 3.28 ms, 13_split_k 183 us, cuBLAS 186 us.
// On an H200, m=4096 n=4096 k=4096: 12_tile_by_size 2.72 ms, 13_split_k 2.70 ms, cuBLAS 2.68 ms.
// Tried, against rung 12 and cuBLAS: 57 us at 512 x 512 x 4096 (208; 59). Still slower than cuBLAS: long sums of
// unaligned rows (255 x 257 x 65533: 321 us, 243) and tiny results (64 x 64 x 65536: 46, 34).
//
// What did not help: atomics on zeros, instead of scratch and a second launch (207 us at 256 x 256 x 65536), and fewer
// than 8 parts (1024^3 in 4 parts: 60 us instead of 57). And at 4096^3, in earlier runs, in Tflop/s: a tile of a that
// is not transposed (45 instead of 50.6), a loop of 2 or 4 steps along k (41 to 45), another order of tiles (the same),
// asynchronous copies (42 instead of 48 with 128 x 128, 47 instead of 46.5 with 128 x 256, both row after row).

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "../common/scratch.cuh"

constexpr int kLaneRows = 4, kLaneCols = 8;  // how the lanes of a warp lie in its tile
constexpr int kLeastParts = 8, kLeastDepth = 64;  // of a divided sum: less is not worth a second launch

// A block has kWarpRows x kWarpCols warps, a thread kRows x kCols outputs; kBlocks of them fit on a multiprocessor.
template <int kWarpRows, int kWarpCols_, int kRows_, int kCols_, int kBlocks_> struct Shape {
    static constexpr int kWarpCols = kWarpCols_, kRows = kRows_, kCols = kCols_, kBlocks = kBlocks_;
    static constexpr int kWarpHeight = kLaneRows * kRows, kWarpWidth = kLaneCols * kCols;
    static constexpr int kHeight = kWarpRows * kWarpHeight, kWidth = kWarpCols * kWarpWidth;  // a block's share of c
    static constexpr int kThreads = 32 * kWarpRows * kWarpCols;
};

// A thread's share of a kTileRows x kTileCols tile on its way through registers, in pieces of one or four floats.
// Neighbouring threads hold neighbouring pieces of a run of kRun columns.
template <int kTileRows, int kTileCols, int kRun, int kThreads, class Piece> struct Share {
    static constexpr int kFloats = sizeof(Piece) / sizeof(float), kLanes = kRun / kFloats;
    static constexpr int kAlong = kTileCols / kRun, kCount = kTileRows * kTileCols / kFloats / kThreads;
    static constexpr int kStep = kThreads / kLanes;  // rows from one piece to the next
    static_assert(kThreads % kLanes == 0 && kTileRows % kStep == 0 && kTileCols % kRun == 0, "all hold as much");

    Piece pieces[kCount];

    static __device__ int row(int i = 0) { return threadIdx.x / kLanes + i / kAlong * kStep; }
    static __device__ int col(int i = 0) { return threadIdx.x % kLanes * kFloats + i % kAlong * kRun; }

    // `from` is our first piece in a matrix with `stride` floats a row; what lies outside of rows x cols becomes zero.
    template <bool kGuarded> __device__ void load(const float* from, std::int64_t stride, int rows, int cols) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            bool inside = !kGuarded || (row(i) < rows && col(i) < cols);
            const float* at = from + i / kAlong * kStep * stride + i % kAlong * kRun;
            pieces[i] = inside ? *reinterpret_cast<const Piece*>(at) : Piece{};
        }
    }

    template <class Tile> __device__ void put(Tile& tile) const {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            *reinterpret_cast<Piece*>(&tile[row(i)][col(i)]) = pieces[i];
        }
    }

    template <class Tile> __device__ void put_transposed(Tile& tile) const {
        auto floats = reinterpret_cast<const float*>(pieces);
#pragma unroll
        for (int i = 0; i < kCount * kFloats; ++i) {
            tile[col(i / kFloats) + i % kFloats][row(i / kFloats)] = floats[i];
        }
    }
};

// Groups of four floats, `apart` floats from each other, from shared memory.
template <int kCount> __device__ void take(float (&to)[kCount], const float* from, int apart) {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
        *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i / 4 * apart);
    }
}

// sum += column * row, along the rows to and fro: each product has a factor of the one before it.
template <int kRows, int kCols>
__device__ void multiply(float (&sum)[kRows][kCols], const float (&column)[kRows], const float (&row)[kCols]) {
#pragma unroll
    for (int p = 0; p < kRows; ++p) {
#pragma unroll
        for (int i = 0; i < kCols; ++i) {
            int q = p % 2 == 0 ? i : kCols - 1 - i;
            sum[p][q] += column[p] * row[q];
        }
    }
}

// Both buffers of both tiles. Too much for `__shared__` variables, which may take 48 KB: the launch asks for it.
template <class S, bool kVectors> struct Tiles {
    static constexpr int kDepth = kVectors ? 16 : 8;  // along k
    float a[2][kDepth][S::kHeight + 4], b[2][kDepth][S::kWidth];
};

template <class S, bool kVectors>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k,
         int depth) {
    extern __shared__ float4 shared[];
    auto& tiles = *reinterpret_cast<Tiles<S, kVectors>*>(shared);
    constexpr int kHeight = S::kHeight, kWidth = S::kWidth, kRows = S::kRows, kCols = S::kCols;
    constexpr int kDepth = Tiles<S, kVectors>::kDepth;
    int across = (n - 1) / kWidth + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kHeight;
    int left = blockIdx.x % across * kWidth;
    // Our corner within the tile. Bits 0 and 3 of the lane count rows, bits 1, 2 and 4 columns.
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int lane_row = (lane & 1) | (lane >> 2 & 2), lane_col = (lane >> 1 & 3) | (lane >> 2 & 4);
    int y = warp / S::kWarpCols * S::kWarpHeight + 4 * lane_row;
    int x = warp % S::kWarpCols * S::kWarpWidth + 4 * lane_col;

    using Piece = std::conditional_t<kVectors, float4, float>;
    Share<kHeight, kDepth, 8, S::kThreads, Piece> of_a;
    Share<kDepth, kWidth, kWidth, S::kThreads, Piece> of_b;
    // Our part of the sum; its columns of a that were not loaded yet.
    int first = blockIdx.y * depth, to_come = min(depth, k - first), steps = (to_come - 1) / kDepth + 1;
    const float* from_a = a + static_cast<std::int64_t>(top + of_a.row()) * k + first + of_a.col();
    const float* from_b = b + static_cast<std::int64_t>(first + of_b.row()) * n + left + of_b.col();
    c += static_cast<std::int64_t>(blockIdx.y) * m * n;
    bool inner = m - top >= kHeight && n - left >= kWidth;
    auto load_next = [&] {
        if (inner && to_come >= kDepth) {
            of_a.template load<false>(from_a, k, 0, 0);
            of_b.template load<false>(from_b, n, 0, 0);
        } else {
            of_a.template load<true>(from_a, k, m - top, to_come);
            of_b.template load<true>(from_b, n, to_come, n - left);
        }
        from_a += kDepth;
        from_b += static_cast<std::int64_t>(kDepth) * n;
        to_come -= kDepth;
    };

    alignas(16) float sum[kRows][kCols] = {}, column[2][kRows], row[2][kCols];
    auto take_both = [&](int to, int buffer, int i) {
        take(column[to], &tiles.a[buffer][i][y], 4 * kLaneRows);
        take(row[to], &tiles.b[buffer][i][x], 4 * kLaneCols);
    };
    load_next();
    of_a.put_transposed(tiles.a[0]);
    of_b.put(tiles.b[0]);
    __syncthreads();
    take_both(0, 0, 0);
    for (int step = 0, buffer = 0; step < steps; ++step) {
        load_next();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            if (i == kDepth - 1) {
                buffer ^= 1;  // it was last read in the step before this one, before its barrier
                of_a.put_transposed(tiles.a[buffer]);
                of_b.put(tiles.b[buffer]);
                __syncthreads();
            }
            take_both((i + 1) % 2, buffer, (i + 1) % kDepth);
            multiply(sum, column[i % 2], row[i % 2]);
        }
    }
#pragma unroll
    for (int p = 0; p < kRows; ++p) {
#pragma unroll
        for (int q = 0; q < kCols; q += of_b.kFloats) {
            int row = top + y + p / 4 * 4 * kLaneRows + p % 4, col = left + x + q / 4 * 4 * kLaneCols + q % 4;
            auto to = reinterpret_cast<Piece*>(c + static_cast<std::int64_t>(row) * n + col);
            if (row < m && col < n) *to = reinterpret_cast<const Piece&>(sum[p][q]);
        }
    }
}

// c[i] is the sum of element i of `parts` matrices of `count` elements, in their order.
__global__ void add_parts(const float* matrices, float* c, std::int64_t count, int parts) {
    std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float sum = 0;
#pragma unroll 8
    for (int part = 0; part < parts; ++part) {
        sum += matrices[part * count + i];
    }
    c[i] = sum;
}

using Large = Shape<4, 2, 8, 16, 1>;   // 128 x 256
using Medium = Shape<4, 1, 8, 16, 2>;  // 128 x 128
using Small = Shape<2, 2, 8, 8, 3>;    // 64 x 128

// A product is divided into tiles, and their sums into parts of `depth` terms.
struct Plan {
    int tiles, parts, depth;
    std::int64_t cost;  // multiplications that each multiprocessor has time for before the last wave is over
    void (*launch)(const float*, const float*, float*, int, int, int, const Plan&, cudaStream_t);
};

template <class S>
void launch(const float* a, const float* b, float* c, int m, int n, int k, const Plan& plan, cudaStream_t stream) {
    auto aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; };
    bool vectors = aligned(a) && aligned(b) && aligned(c) && k % 4 == 0 && n % 4 == 0;
    auto product = vectors ? tile<S, true> : tile<S, false>;
    int bytes = vectors ? sizeof(Tiles<S, true>) : sizeof(Tiles<S, false>);
    cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (plan.parts == 1) {
        product<<<plan.tiles, S::kThreads, bytes, stream>>>(a, b, c, m, n, k, k);
        return;
    }
    std::int64_t count = static_cast<std::int64_t>(m) * n;
    Scratch scratch(plan.parts * count, stream);
    product<<<dim3(plan.tiles, plan.parts), S::kThreads, bytes, stream>>>(a, b, scratch.data, m, n, k, plan.depth);
    add_parts<<<ceil_div(count, 256), 256, 0, stream>>>(scratch.data, c, count, plan.parts);
}

template <class S> Plan plan(int m, int n, int k) {
    int tiles = ceil_div(m, S::kHeight) * ceil_div(n, S::kWidth), slots = S::kBlocks * multiprocessors();
    int parts = std::min(slots / tiles, k / kLeastDepth);
    if (parts < kLeastParts) parts = 1;
    int depth = ceil_div(ceil_div(k, parts), 16) * 16;
    parts = ceil_div(k, depth);
    std::int64_t rounds = ceil_div(std::int64_t{tiles} * parts, slots);
    return {tiles, parts, depth, rounds * S::kBlocks * S::kHeight * S::kWidth * depth, launch<S>};
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    Plan plans[] = {plan<Large>(m, n, k), plan<Medium>(m, n, k), plan<Small>(m, n, k)};
    auto best = std::min_element(plans, plans + 3, [](auto& x, auto& y) { return x.cost < y.cost; });
    best->launch(a, b, c, m, n, k, *best, stream);
}
