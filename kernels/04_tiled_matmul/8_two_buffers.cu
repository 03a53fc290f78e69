// Rung 8 of 13: two buffers.
//
// Rung 7 waits for its loads, then for the other warps, multiplies, and waits for the other warps again. Here the next
// tile travels from device memory into registers while this one is used, and from there into the other half of shared
// memory, which no thread reads any more. One barrier a step is left, and a step is twice as deep.
//
// What travels is a thread's share of a tile (Share). Where float4 are not possible it consists of single floats, and
// neighbouring threads hold neighbouring ones. What lies outside of a matrix is zero, as on the rungs below; where a
// tile lies inside, no load asks.
//
// Counted on 512 x 1024 x 32: 96 barriers, 3 a block (rung 7: 256, 8 a block).
// On an H200, m=4096 n=4096 k=4096: 7_padding 3.69 ms, 8_two_buffers 3.19 ms.
//
// What did not help: asking for 128 registers, so that two blocks fit on a multiprocessor (3.35 ms). And guards in all
// loads cost 8 to 10 % on the rungs above, where a multiplication is nearly all that is left.

#include <cstdint>
#include <type_traits>

constexpr int kTile = 128;  // a block's share of c
constexpr int kDepth = 16;  // of the tiles, along k
constexpr int kOurs = 8;    // a thread's share of c is kOurs x kOurs
constexpr int kAcross = kTile / kOurs;
constexpr int kThreads = kAcross * kAcross;
constexpr int kHalf = kTile / 2;

// A thread's share of a kTileRows x kTileCols tile on its way through registers, in pieces of one or four floats.
// Neighbouring threads hold neighbouring pieces of a run of kRun columns.
template <int kTileRows, int kTileCols, int kRun, class Piece> struct Share {
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

template <bool kVectors>
__global__ void __launch_bounds__(kThreads)
    tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    __shared__ __align__(16) float As[2][kDepth][kTile + 4], Bs[2][kDepth][kTile];
    int across = (n - 1) / kTile + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kTile;
    int left = blockIdx.x % across * kTile;
    int x = threadIdx.x % kAcross * 4, y = threadIdx.x / kAcross * kOurs;  // our corner within each half of the tile

    using Piece = std::conditional_t<kVectors, float4, float>;
    Share<kTile, kDepth, 8, Piece> of_a;
    Share<kDepth, kTile, kTile, Piece> of_b;
    const float* from_a = a + static_cast<std::int64_t>(top + of_a.row()) * k + of_a.col();
    const float* from_b = b + static_cast<std::int64_t>(of_b.row()) * n + left + of_b.col();
    bool inner = m - top >= kTile && n - left >= kTile;
    int to_come = k;  // columns of a that were not loaded yet; 0 or less: the last loads bring zeros
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

    alignas(16) float sum[kOurs][kOurs] = {};
    load_next();
    of_a.put_transposed(As[0]);
    of_b.put(Bs[0]);
    __syncthreads();
    for (int step = 0, buffer = 0; step <= (k - 1) / kDepth; ++step) {
        load_next();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            alignas(16) float column[kOurs], row[kOurs];
            *reinterpret_cast<float4*>(column) = *reinterpret_cast<const float4*>(&As[buffer][i][y]);
            *reinterpret_cast<float4*>(column + 4) = *reinterpret_cast<const float4*>(&As[buffer][i][y + 4]);
            *reinterpret_cast<float4*>(row) = *reinterpret_cast<const float4*>(&Bs[buffer][i][x]);
            *reinterpret_cast<float4*>(row + 4) = *reinterpret_cast<const float4*>(&Bs[buffer][i][x + kHalf]);
            for (int p = 0; p < kOurs; ++p) {
                for (int q = 0; q < kOurs; ++q) {
                    sum[p][q] += column[p] * row[q];
                }
            }
        }
        buffer ^= 1;  // it was last read in the step before this one, before its barrier
        of_a.put_transposed(As[buffer]);
        of_b.put(Bs[buffer]);
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < kOurs; ++p) {
#pragma unroll
        for (int q = 0; q < kOurs; q += of_b.kFloats) {
            int row = top + y + p, col = left + x + q / 4 * kHalf + q % 4;
            auto to = reinterpret_cast<Piece*>(c + static_cast<std::int64_t>(row) * n + col);
            if (row < m && col < n) *to = reinterpret_cast<const Piece&>(sum[p][q]);
        }
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    auto aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; };
    bool vectors = aligned(a) && aligned(b) && aligned(c) && k % 4 == 0 && n % 4 == 0;
    unsigned down = (m - 1) / kTile + 1, across = (n - 1) / kTile + 1;
    auto product = vectors ? tile<true> : tile<false>;
    product<<<down * across, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
