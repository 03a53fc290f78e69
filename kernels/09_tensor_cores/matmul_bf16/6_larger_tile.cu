// Rung 6 of 8: a larger tile.
//
// A warp with 64 x 32 outputs needs four fragments of a and two of b (each for 16 columns) for 16 products: six
// times ldmatrix. With 64 x 64 outputs it is eight for 32, a third less for shared memory to deliver: it was as busy
// as the tensor cores. The sums take 128 registers, so a thread needs more than 128 in all, and one block of 256
// threads is what a multiprocessor holds. Its tile is 256 x 128, so 85 products are made of each byte that comes
// from global memory, and not 64. Its four stages take 192 KB of shared memory.
//
// On an H200, m=4096 n=4096 k=4096: 5_stages 388 Tflop/s, 6_larger_tile 385 Tflop/s.
// With two warps a quarter of the multiprocessor, where rung 5 has four, waiting for fragments costs what the larger
// tile saves. Rung 7 changes that.

#include <cuda_bf16.h>

#include <cstdint>

constexpr int kHeight = 256, kWidth = 128, kDepth = 64;  // of a block's tiles: rows of a, rows of b, columns of both
constexpr int kStages = 4;                               // tiles in shared memory
constexpr int kWarpSize = 64;                            // rows and columns of a warp's outputs
constexpr int kDown = kWarpSize / 16, kAcross = kWarpSize / 8;
constexpr int kWarpsAcross = kWidth / kWarpSize, kThreads = 32 * kWarpsAcross * kHeight / kWarpSize;
constexpr int kPiece = 8, kPieces = kDepth / kPiece;  // elements in 16 bytes, and how many of these in a row

template <int kRows> struct Tile {
    uint4 pieces[kRows][kPieces];

    // Where piece `piece` of a row lies.
    __device__ uint4& at(unsigned row, unsigned piece) { return pieces[row][piece ^ row % 8]; }
};

struct Stage {
    Tile<kHeight> a;
    Tile<kWidth> b;
};

__device__ unsigned shared_address(const uint4& piece) {
    return static_cast<unsigned>(__cvta_generic_to_shared(&piece));
}

// Up to eight elements of a row; zeros behind them.
__device__ uint4 load_piece(const __nv_bfloat16* from, int count) {
    alignas(16) __nv_bfloat16 piece[kPiece] = {};
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
        if (i < count) piece[i] = from[i];
    }
    return *reinterpret_cast<const uint4*>(piece);
}

// Copies a thread's share of tiles: a piece of every kStep-th row, of one tile after the other along k.
template <int kRows, bool kAligned> struct Feed {
    static constexpr int kStep = kThreads / kPieces;
    const __nv_bfloat16* from;
    int rows, cols;  // how many there are from our first element on

    static __device__ int row() { return threadIdx.x / kPieces; }
    static __device__ int piece() { return threadIdx.x % kPieces; }

    __device__ Feed(const __nv_bfloat16* matrix, int top, int all_rows, int all_cols) {
        from = matrix + static_cast<std::int64_t>(top + row()) * all_cols + piece() * kPiece;
        rows = all_rows - top - row();
        cols = all_cols - piece() * kPiece;
    }

    // Outside of the matrix there are zeros: of 16 bytes, none is copied.
    __device__ void start(Tile<kRows>& tile, std::int64_t stride) {
#pragma unroll
        for (int i = 0; i < kRows / kStep; ++i) {
            uint4& to = tile.at(row() + i * kStep, piece());
            const __nv_bfloat16* at = from + i * kStep * stride;
            bool inside = i * kStep < rows && cols > 0;
            if (kAligned) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(at),
                             "r"(inside ? 16 : 0)
                             : "memory");
            } else {
                to = inside ? load_piece(at, cols) : uint4{};
            }
        }
        from += kDepth, cols -= kDepth;
    }
};

// All but the last kStages - 2 groups of copies have arrived, for all threads of the block.
__device__ void wait_for_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
}

// Four matrices of 8 x 8; lane i names row i % 8 of matrix i / 8.
__device__ void load_matrices(unsigned (&to)[4], const uint4& row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// c += a * b, on a tensor core, by the whole warp.
__device__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// What a warp multiplies at once: 64 rows of a, 64 rows of b, 16 columns of both.
struct Fragments {
    unsigned a[kDown][4], b[kAcross / 2][4];

    __device__ void load(Stage& stage, int y, int x, int piece) {
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int p = 0; p < kDown; ++p) load_matrices(a[p], stage.a.at(y + p * 16 + lane % 16, piece + lane / 16));
#pragma unroll
        for (int q = 0; q < kAcross / 2; ++q) {
            load_matrices(b[q], stage.b.at(x + q * 16 + lane / 16 * 8 + lane % 8, piece + lane / 8 % 2));
        }
    }

    __device__ void multiply_into(float (&sum)[kDown][kAcross][4]) const {
#pragma unroll
        for (int p = 0; p < kDown; ++p) {
#pragma unroll
            for (int q = 0; q < kAcross; ++q) {
                multiply(sum[p][q], a[p], b[q / 2][q % 2 * 2], b[q / 2][q % 2 * 2 + 1]);
            }
        }
    }
};

// Our elements of a warp's outputs, whose first is c[row][col].
__device__ void store(const float (&sum)[kDown][kAcross][4], float* c, int row, int col, int rows, int cols) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < kDown * 2; ++i) {
        int y = row + i * 8 + lane / 4;
#pragma unroll
        for (int q = 0; q < kAcross; ++q) {
            int x = col + q * 8 + lane % 4 * 2;
            float* to = c + static_cast<std::int64_t>(y) * cols + x;
            float2 both = {sum[i / 2][q][i % 2 * 2], sum[i / 2][q][i % 2 * 2 + 1]};
            if (cols % 2 == 0 && y < rows && x < cols) *reinterpret_cast<float2*>(to) = both;
            if (cols % 2 != 0 && y < rows && x < cols) to[0] = both.x;
            if (cols % 2 != 0 && y < rows && x + 1 < cols) to[1] = both.y;
        }
    }
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    extern __shared__ uint4 shared[];
    auto stages = reinterpret_cast<Stage*>(shared);
    int across = (n - 1) / kWidth + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kHeight, left = blockIdx.x % across * kWidth;
    int warp = threadIdx.x / 32, y = warp / kWarpsAcross * kWarpSize, x = warp % kWarpsAcross * kWarpSize;

    int steps = (k - 1) / kDepth + 1;
    Feed<kHeight, kAligned> feed_a(a, top, m, k);
    Feed<kWidth, kAligned> feed_b(b, left, n, k);
    auto start = [&](int step) {  // and closes the group, if there is nothing to copy, too
        if (step < steps) feed_a.start(stages[step % kStages].a, k), feed_b.start(stages[step % kStages].b, k);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int step = 0; step < kStages - 1; ++step) start(step);

    float sum[kDown][kAcross][4] = {};
    for (int step = 0; step < steps; ++step) {
        wait_for_stage();
        start(step + kStages - 1);  // into the stage that was read last in the step before this one
#pragma unroll
        for (int piece = 0; piece < kPieces; piece += 2) {
            Fragments fragments;
            fragments.load(stages[step % kStages], y, x, piece);
            fragments.multiply_into(sum);
        }
    }
    store(sum, c, top + y, left + x, m, n);
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    int down = (m - 1) / kHeight + 1, across = (n - 1) / kWidth + 1, bytes = kStages * sizeof(Stage);
    auto run = k % kPiece == 0 ? product<true> : product<false>;
    cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    run<<<down * across, kThreads, bytes, stream>>>(a, b, c, m, n, k);
}
