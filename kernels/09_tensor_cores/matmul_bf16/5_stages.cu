// Rung 5 of 8: stages.
//
// On rung 4 a tile comes, then it is used, and never both. `cp.async` copies 16 bytes from global to shared memory,
// through no register, and the thread goes on. Copies between two `commit_group` are a group; `wait_group N` waits
// until at most the last N groups are on their way. With three stages, two tiles are on their way while the third
// one is used, and one barrier a step is enough: behind it, a tile has arrived for all, and all have left the tile
// before it, whose place is filled next.
//
// The number of bytes may be smaller than 16, and zeros fill the rest: 0 bytes for what lies outside. Where rows
// begin anywhere, because k is no multiple of 8, elements go through registers as before.
//
// On an H200, m=4096 n=4096 k=4096: 4_swizzle 280 Tflop/s, 5_stages 388 Tflop/s.

#include <cuda_bf16.h>

#include <cstdint>

constexpr int kSize = 128, kDepth = 64;           // of a block's tiles: rows, and columns along k
constexpr int kStages = 3;                        // tiles in shared memory
constexpr int kWarpHeight = 64, kWarpWidth = 32;  // a warp's outputs
constexpr int kDown = kWarpHeight / 16, kAcross = kWarpWidth / 8;
constexpr int kWarpsAcross = kSize / kWarpWidth, kThreads = 32 * kWarpsAcross * kSize / kWarpHeight;
constexpr int kPiece = 8, kPieces = kDepth / kPiece;  // elements in 16 bytes, and how many of these in a row

struct Tile {
    uint4 pieces[kSize][kPieces];

    // Where piece `piece` of a row lies.
    __device__ uint4& at(unsigned row, unsigned piece) { return pieces[row][piece ^ row % 8]; }
};

struct Stage {
    Tile a, b;
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
template <bool kAligned> struct Feed {
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
    __device__ void start(Tile& tile, std::int64_t stride) {
#pragma unroll
        for (int i = 0; i < kSize / kStep; ++i) {
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

// What a warp multiplies at once: 64 rows of a, 32 rows of b, 16 columns of both.
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
__global__ void __launch_bounds__(kThreads, 2)
    product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    extern __shared__ uint4 shared[];
    auto stages = reinterpret_cast<Stage*>(shared);
    int across = (n - 1) / kSize + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kSize, left = blockIdx.x % across * kSize;
    int warp = threadIdx.x / 32, y = warp / kWarpsAcross * kWarpHeight, x = warp % kWarpsAcross * kWarpWidth;

    int steps = (k - 1) / kDepth + 1;
    Feed<kAligned> feed_a(a, top, m, k);
    Feed<kAligned> feed_b(b, left, n, k);
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
    int down = (m - 1) / kSize + 1, across = (n - 1) / kSize + 1, bytes = kStages * sizeof(Stage);
    auto run = k % kPiece == 0 ? product<true> : product<false>;
    cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    run<<<down * across, kThreads, bytes, stream>>>(a, b, c, m, n, k);
}
