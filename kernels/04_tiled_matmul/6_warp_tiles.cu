// Rung 6 of 6: warp tiles, two buffers, and a tile that suits the size.
//
// Rung 5 stops twice a step, and waits for its loads in between. Here nothing waits, and nearly every instruction is a
// multiplication:
// - Two buffers: while a tile is used, the next one travels from device memory into registers, and from there into the
//   other half of shared memory. One barrier a step is left, and a step is twice as deep.
// - So with the registers: the floats for the next multiplications are read during these.
// - 8 x 16 outputs a thread: 6 loads for 128 multiplications, where 8 x 8 needs 8.
// - Warp tiles: a warp's lanes lie 4 x 8 and not 2 x 16, and are numbered so that lanes T and T ^ 1 share a float4 of
//   b, T and T ^ 2 one of a: such loads take 2 turns of the shared memory instead of 4.
// - The multiplications go to and fro through the tile, so that each shares a factor with the one before it: then the
//   register file has less to deliver.
//
// The size chooses the tile: the GPU works in rounds of as many tiles as it holds, and a large tile, fast as it is, may
// leave most of the last round empty. A long sum is not divided: where a tile or two is all there is, most of the GPU
// has nothing to do (256 x 256 x 65536: 17 times as slow as cuBLAS).
//
// Counted on 512 x 1024 x 32: 4 bytes loaded per input byte (rung 5: 5.3), 0.10 turns of shared memory per output
// (0.19). Measured on an H200, TFLOP/s here and in cuBLAS without TF32: 50.6 and 51.4 at 4096 x 4096 x 4096 (2.72 ms,
// 1.6 times as fast as rung 5), 50.4 and 51.4 at 8192^3, 46.9 and 47.4 at 4000 x 4100 x 4200, 37.0 and 32.7 at 1024^3,
// 44.7 and 47.1 at 4095 x 4097 x 4099, where most rows begin off the multiples of 16 bytes.
//
// What did not help there, at 4096^3: the multiplications row after row (48 TFLOP/s), 8 x 8 outputs a thread (49), a
// tile of a that is not transposed and read along k (45), a loop of 2 or 4 steps along k instead of 16 in a line (41 to
// 45), another order of tiles (the same). Asynchronous copies: 42 instead of 48 with 128 x 128, 47 instead of 46.5 with
// 128 x 256, both row after row; nvcc puts three idle loads before each.

#include <cstdint>
#include <type_traits>

constexpr int kLaneRows = 4, kLaneCols = 8;  // how the lanes of a warp lie in its tile
constexpr int kGroup = 16;                   // rows of tiles that run together: what they load of b is shared in the L2

// A block has kWarpRows x kWarpCols warps, a thread kRows x kCols outputs; kBlocks of them fit on a multiprocessor.
template <int kWarpRows, int kWarpCols, int kRows_, int kCols_, int kBlocks_> struct Shape {
    static constexpr int kRows = kRows_, kCols = kCols_, kBlocks = kBlocks_;
    static constexpr int kThreads = 32 * kWarpRows * kWarpCols;
    static constexpr int kWarpHeight = kLaneRows * kRows, kWarpWidth = kLaneCols * kCols;
    static constexpr int kHeight = kWarpRows * kWarpHeight, kWidth = kWarpCols * kWarpWidth;
    static constexpr int kAcross = kWarpCols;
    static_assert(kRows % 4 == 0 && kCols % 4 == 0, "a thread takes four floats at a time");
};

// A thread's share of a kRows x kCols tile on its way through registers, in pieces of one or four floats. Neighbouring
// threads hold neighbouring pieces of a run of kRun columns.
template <int kRows, int kCols, int kRun, int kThreads, bool kVectors> struct Share {
    using Piece = std::conditional_t<kVectors, float4, float>;
    static constexpr int kFloats = kVectors ? 4 : 1;
    static constexpr int kLanes = kRun / kFloats, kStep = kThreads / kLanes;
    static constexpr int kDown = kRows / kStep, kAlong = kCols / kRun;
    static_assert(kThreads % kLanes == 0 && kRows % kStep == 0 && kCols % kRun == 0, "all threads hold as much");

    Piece pieces[kDown][kAlong];

    static __device__ int row(int i = 0) { return threadIdx.x / kLanes + i * kStep; }
    static __device__ int col(int j = 0) { return threadIdx.x % kLanes * kFloats + j * kRun; }

    // `from` is our first piece in a matrix with `stride` floats a row; what lies outside of rows x cols becomes zero.
    template <bool kGuarded>
    __device__ __forceinline__ void load(const float* from, std::int64_t stride, int rows, int cols) {
#pragma unroll
        for (int i = 0; i < kDown; ++i) {
#pragma unroll
            for (int j = 0; j < kAlong; ++j) {
                bool inside = !kGuarded || (row(i) < rows && col(j) < cols);
                const float* at = from + i * kStep * stride + j * kRun;
                pieces[i][j] = inside ? *reinterpret_cast<const Piece*>(at) : Piece{};
            }
        }
    }

    template <class Tile> __device__ __forceinline__ void put(Tile& tile) const {
#pragma unroll
        for (int i = 0; i < kDown; ++i) {
#pragma unroll
            for (int j = 0; j < kAlong; ++j) {
                *reinterpret_cast<Piece*>(&tile[row(i)][col(j)]) = pieces[i][j];
            }
        }
    }

    template <class Tile> __device__ __forceinline__ void put_transposed(Tile& tile) const {
#pragma unroll
        for (int i = 0; i < kDown; ++i) {
#pragma unroll
            for (int j = 0; j < kAlong; ++j) {
                if constexpr (kVectors) {
                    tile[col(j)][row(i)] = pieces[i][j].x;
                    tile[col(j) + 1][row(i)] = pieces[i][j].y;
                    tile[col(j) + 2][row(i)] = pieces[i][j].z;
                    tile[col(j) + 3][row(i)] = pieces[i][j].w;
                } else {
                    tile[col(j)][row(i)] = pieces[i][j];
                }
            }
        }
    }
};

struct Corner {
    int row, col;
};

// Where in c the tile of this block begins: down the rows of a group of kGroup, then to the next column.
template <class S> __device__ Corner tile_corner(int m, int n) {
    unsigned down = (m - 1) / S::kHeight + 1, across = (n - 1) / S::kWidth + 1;
    unsigned group = blockIdx.x / (kGroup * across), within = blockIdx.x % (kGroup * across);
    unsigned height = min(kGroup, down - group * kGroup);
    int row = group * kGroup + within % height, col = within / height;
    return {row * S::kHeight, col * S::kWidth};
}

// Where in the tile our outputs begin. Bits 0 and 3 of the lane count rows, bits 1, 2 and 4 columns.
template <class S> __device__ Corner thread_corner() {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = (lane & 1) | (lane >> 2 & 2), col = (lane >> 1 & 3) | (lane >> 2 & 4);
    return {warp / S::kAcross * S::kWarpHeight + 4 * row, warp % S::kAcross * S::kWarpWidth + 4 * col};
}

// Groups of four floats, `apart` floats from each other, from shared memory.
template <int kCount> __device__ __forceinline__ void take(float (&to)[kCount], const float* from, int apart) {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
        *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i / 4 * apart);
    }
}

// sum += column * row, along the rows to and fro: each product has a factor of the one before it.
template <int kRows, int kCols>
__device__ __forceinline__ void multiply(float (&sum)[kRows][kCols], const float (&column)[kRows],
                                         const float (&row)[kCols]) {
#pragma unroll
    for (int p = 0; p < kRows; ++p) {
#pragma unroll
        for (int i = 0; i < kCols; ++i) {
            int q = p % 2 == 0 ? i : kCols - 1 - i;
            sum[p][q] += column[p] * row[q];
        }
    }
}

template <class S, bool kVectors>
__device__ __forceinline__ void store(const float (&sum)[S::kRows][S::kCols], float* c, int m, int n, Corner corner) {
#pragma unroll
    for (int p = 0; p < S::kRows; ++p) {
        int row = corner.row + p / 4 * 4 * kLaneRows + p % 4;
        float* row_of_c = c + static_cast<std::int64_t>(row) * n;
#pragma unroll
        for (int q = 0; q < S::kCols; q += 4) {
            int col = corner.col + q * kLaneCols;
            if (kVectors) {
                float4 four = make_float4(sum[p][q], sum[p][q + 1], sum[p][q + 2], sum[p][q + 3]);
                if (row < m && col < n) *reinterpret_cast<float4*>(row_of_c + col) = four;
            } else {
                for (int i = 0; i < 4; ++i) {
                    if (row < m && col + i < n) row_of_c[col + i] = sum[p][q + i];
                }
            }
        }
    }
}

// Both buffers of both tiles. Too much for `__shared__` variables, which may take 48 KB: the launch asks for it.
template <class S, bool kVectors> struct Tiles {
    static constexpr int kDepth = kVectors ? 16 : 8;  // a step along k
    float a[2][kDepth][S::kHeight + 4];
    float b[2][kDepth][S::kWidth];
};

template <class S, bool kVectors>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    extern __shared__ float4 shared[];
    auto& tiles = *reinterpret_cast<Tiles<S, kVectors>*>(shared);
    constexpr int kDepth = Tiles<S, kVectors>::kDepth;
    Corner block = tile_corner<S>(m, n), ours = thread_corner<S>();

    Share<S::kHeight, kDepth, 8, S::kThreads, kVectors> of_a;
    Share<kDepth, S::kWidth, S::kWidth, S::kThreads, kVectors> of_b;
    const float* from_a = a + static_cast<std::int64_t>(block.row + of_a.row()) * k + of_a.col();
    const float* from_b = b + static_cast<std::int64_t>(of_b.row()) * n + block.col + of_b.col();
    bool inner = m - block.row >= S::kHeight && n - block.col >= S::kWidth;
    int to_come = k;  // columns of a that were not loaded yet; 0 or less: the last loads bring zeros
    auto load_next = [&] {
        if (inner && to_come >= kDepth) {
            of_a.template load<false>(from_a, k, 0, 0);
            of_b.template load<false>(from_b, n, 0, 0);
        } else {
            of_a.template load<true>(from_a, k, m - block.row, to_come);
            of_b.template load<true>(from_b, n, to_come, n - block.col);
        }
        from_a += kDepth;
        from_b += static_cast<std::int64_t>(kDepth) * n;
        to_come -= kDepth;
    };

    float sum[S::kRows][S::kCols] = {}, column[2][S::kRows], row[2][S::kCols];
    auto take_both = [&](int to, int buffer, int i) {
        take(column[to], &tiles.a[buffer][i][ours.row], 4 * kLaneRows);
        take(row[to], &tiles.b[buffer][i][ours.col], 4 * kLaneCols);
    };

    load_next();
    of_a.put_transposed(tiles.a[0]);
    of_b.put(tiles.b[0]);
    __syncthreads();
    take_both(0, 0, 0);
    int buffer = 0;
    for (int step = 0; step <= (k - 1) / kDepth; ++step) {
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
    store<S, kVectors>(sum, c, m, n, {block.row + ours.row, block.col + ours.col});
}

using Large = Shape<4, 2, 8, 16, 1>;   // 128 x 256
using Medium = Shape<4, 1, 8, 16, 2>;  // 128 x 128
using Small = Shape<2, 2, 8, 8, 3>;    // 64 x 128

template <class S> std::int64_t count_tiles(int m, int n) {
    return static_cast<std::int64_t>((m - 1) / S::kHeight + 1) * ((n - 1) / S::kWidth + 1);
}

// Outputs that each multiprocessor has time to compute before the last round is over.
template <class S> std::int64_t cost(int m, int n, int multiprocessors) {
    std::int64_t rounds = (count_tiles<S>(m, n) - 1) / (S::kBlocks * multiprocessors) + 1;
    return rounds * S::kBlocks * S::kHeight * S::kWidth;
}

template <class S, bool kVectors>
void launch(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    unsigned blocks = count_tiles<S>(m, n);
    int bytes = sizeof(Tiles<S, kVectors>);
    cudaFuncSetAttribute(tile<S, kVectors>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    tile<S, kVectors><<<blocks, S::kThreads, bytes, stream>>>(a, b, c, m, n, k);
}

template <bool kVectors>
void launch_best(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    int device, multiprocessors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    auto large = cost<Large>(m, n, multiprocessors), medium = cost<Medium>(m, n, multiprocessors);
    auto small = cost<Small>(m, n, multiprocessors);
    if (large <= medium && large <= small) {
        launch<Large, kVectors>(a, b, c, m, n, k, stream);
    } else if (medium <= small) {
        launch<Medium, kVectors>(a, b, c, m, n, k, stream);
    } else {
        launch<Small, kVectors>(a, b, c, m, n, k, stream);
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    auto aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; };
    bool vectors = aligned(a) && aligned(b) && aligned(c) && k % 4 == 0 && n % 4 == 0;
    auto run = vectors ? launch_best<true> : launch_best<false>;
    run(a, b, c, m, n, k, stream);
}
