// Rung 11 of 13: registers ahead.
//
// So with the registers: the factors of the next multiplications are read during these. At the end of a step a thread
// first puts its share into the other buffer, waits, and reads the next step's first factors: then it still has
// multiplications to do.
//
// These run to and fro through a thread's outputs, so that each shares a factor with the one before it: then the
// register file has less to deliver.
//
// No counter tells this rung from rung 10: the loads are the same, in another order. A GPU's clock does.
//
// On an H200, m=4096 n=4096 k=4096: 10_larger_tile 2.86 ms, 11_registers_ahead 2.73 ms, cuBLAS 2.68 ms.
//
// What did not help: the same with 8 x 8 outputs (2.86 ms), with steps of 8 (2.86 ms), the multiplications row after
// row (2.76 ms).

#include <cstdint>
#include <type_traits>

constexpr int kWarpRows = 4, kWarpCols = 2;  // how the warps of a block lie in its tile
constexpr int kLaneRows = 4, kLaneCols = 8;  // and the lanes of a warp in theirs
constexpr int kRows = 8, kCols = 16;         // a thread's outputs
constexpr int kWarpHeight = kLaneRows * kRows, kWarpWidth = kLaneCols * kCols;
constexpr int kHeight = kWarpRows * kWarpHeight, kWidth = kWarpCols * kWarpWidth;  // a block's share of c
constexpr int kDepth = 16;                                                         // of the tiles, along k
constexpr int kThreads = 32 * kWarpRows * kWarpCols;

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

// Groups of four floats, `apart` floats from each other, from shared memory.
template <int kCount> __device__ void take(float (&to)[kCount], const float* from, int apart) {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
        *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i / 4 * apart);
    }
}

// sum += column * row, along the rows to and fro: each product has a factor of the one before it.
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
struct Tiles {
    float a[2][kDepth][kHeight + 4], b[2][kDepth][kWidth];
};

template <bool kVectors>
__global__ void __launch_bounds__(kThreads)
    tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    extern __shared__ float4 shared[];
    auto& tiles = *reinterpret_cast<Tiles*>(shared);
    int across = (n - 1) / kWidth + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kHeight;
    int left = blockIdx.x % across * kWidth;
    // Our corner within the tile. Bits 0 and 3 of the lane count rows, bits 1, 2 and 4 columns.
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int lane_row = (lane & 1) | (lane >> 2 & 2), lane_col = (lane >> 1 & 3) | (lane >> 2 & 4);
    int y = warp / kWarpCols * kWarpHeight + 4 * lane_row;
    int x = warp % kWarpCols * kWarpWidth + 4 * lane_col;

    using Piece = std::conditional_t<kVectors, float4, float>;
    Share<kHeight, kDepth, 8, Piece> of_a;
    Share<kDepth, kWidth, kWidth, Piece> of_b;
    const float* from_a = a + static_cast<std::int64_t>(top + of_a.row()) * k + of_a.col();
    const float* from_b = b + static_cast<std::int64_t>(of_b.row()) * n + left + of_b.col();
    bool inner = m - top >= kHeight && n - left >= kWidth;
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
    for (int step = 0, buffer = 0; step <= (k - 1) / kDepth; ++step) {
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

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    auto aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; };
    bool vectors = aligned(a) && aligned(b) && aligned(c) && k % 4 == 0 && n % 4 == 0;
    unsigned down = (m - 1) / kHeight + 1, across = (n - 1) / kWidth + 1;
    auto product = vectors ? tile<true> : tile<false>;
    cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Tiles));
    product<<<down * across, kThreads, sizeof(Tiles), stream>>>(a, b, c, m, n, k);
}
