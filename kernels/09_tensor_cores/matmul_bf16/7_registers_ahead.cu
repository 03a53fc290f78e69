// Rung 7 of 8: registers ahead.
//
// On rung 6 a warp asks for fragments and waits for them, 8 times ldmatrix, and then multiplies 32 times: while it
// waits, the tensor core has the other warp of its quarter of the multiprocessor, or nothing. Here there are two
// sets of fragments. The next products' are read during these. At the end of a step these are the first of the next
// tile: so there a warp waits for the tile and for the other warps, before its last products and not after them.
//
// And tiles in an order that suits the L2 cache. 132 multiprocessors have 132 tiles at a time. Row after row these
// were four rows of 32 tiles, for n = 4096: they need four tiles of a and all 32 of b at each step, 36 in all. In
// strips of 8 rows, down before along, they need 8 and 17: 25, a third less to bring from memory.
//
// What is no product should be little: places in shared memory are numbers of 32 bits here, found once, and the stage
// moves on by adding. That makes 239 instructions a step, 128 of them products; with pointers there were 253.
//
// On an H200, m=4096 n=4096 k=4096: 6_larger_tile 385 Tflop/s, 7_registers_ahead 465 Tflop/s.
// On an H200, m=8192 n=8192 k=8192: 6_larger_tile 406 Tflop/s, 7_registers_ahead 503 Tflop/s.
//
// Tried: without the strips it reaches 450 and 437 Tflop/s. mma.sync alone, in registers, has 629 and 576, and the loop
// without its copies 526.
//
// What did not help: as many blocks as multiprocessors, which take tile after tile while copies run ahead into the
// next one (1 % slower); 128 x 128 tiles, for two blocks of four warps (3 % slower); steps of 32 with six stages
// (the same); warps with 96 x 64 outputs (no registers are left for fragments ahead: 22 % slower).

#include <cuda_bf16.h>

#include <cstdint>

constexpr int kHeight = 256, kWidth = 128, kDepth = 64;  // of a block's tiles: rows of a, rows of b, columns of both
constexpr int kStages = 4;                               // tiles in shared memory
constexpr int kStrip = 8;                                // rows of tiles that are walked along together
constexpr int kWarpSize = 64;                            // rows and columns of a warp's outputs
constexpr int kDown = kWarpSize / 16, kAcross = kWarpSize / 8;
constexpr int kWarpsAcross = kWidth / kWarpSize, kThreads = 32 * kWarpsAcross * kHeight / kWarpSize;
constexpr int kPiece = 8, kPieces = kDepth / kPiece;  // elements in 16 bytes, and how many of these in a row

constexpr unsigned kRow = kDepth * 2;  // bytes from row to row of a tile
constexpr unsigned kOfB = kHeight * kRow, kStageBytes = (kHeight + kWidth) * kRow;  // a stage: a's tile, then b's

// Where piece `piece` of a row lies in a tile.
__device__ unsigned swizzle(unsigned row, unsigned piece) { return row * kRow + (piece ^ row % 8) * 16; }

// Up to eight elements of a row; zeros behind them.
__device__ uint4 load_piece(const __nv_bfloat16* from, int count) {
    alignas(16) __nv_bfloat16 piece[kPiece] = {};
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
        if (i < count) piece[i] = from[i];
    }
    return *reinterpret_cast<const uint4*>(piece);
}

__device__ void set_piece(unsigned to, uint4 piece) {
    *static_cast<uint4*>(__cvta_shared_to_generic(to)) = piece;
}

// Copies a thread's share of tiles: a piece of every kStep-th row, of one tile after the other along k.
template <int kRows, bool kAligned> struct Feed {
    static constexpr int kStep = kThreads / kPieces;
    const __nv_bfloat16* from;
    int rows;     // how many there are from ours on
    unsigned to;  // our first piece's place: the next is kStep rows on, as every eighth row has the same swizzle

    __device__ Feed(const __nv_bfloat16* matrix, int top, int all_rows, int all_cols) {
        int row = threadIdx.x / kPieces, piece = threadIdx.x % kPieces;
        from = matrix + static_cast<std::int64_t>(top + row) * all_cols + piece * kPiece;
        rows = all_rows - top - row, to = swizzle(row, piece);
    }

    // Outside of the matrix there are zeros: of 16 bytes, none is copied. `cols` are those from ours on.
    __device__ void start(unsigned tile, std::int64_t stride, int cols) {
#pragma unroll
        for (int i = 0; i < kRows / kStep; ++i) {
            bool inside = i * kStep < rows && cols > 0;
            unsigned here = tile + to + i * kStep * kRow;
            const __nv_bfloat16* at = from + i * kStep * stride;
            if (kAligned) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(here), "l"(at), "r"(inside ? 16 : 0)
                             : "memory");
            } else {
                set_piece(here, inside ? load_piece(at, cols) : uint4{});
            }
        }
        from += kDepth;
    }
};

// All but the last kStages - 2 groups of copies have arrived, for all threads of the block.
__device__ void wait_for_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
}

// Four matrices of 8 x 8; lane i says where row i % 8 of matrix i / 8 lies.
__device__ void load_matrices(unsigned (&to)[4], unsigned row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
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

    __device__ void load(unsigned stage, int y, int x, int piece) {
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int p = 0; p < kDown; ++p) load_matrices(a[p], stage + swizzle(y + p * 16 + lane % 16, piece + lane / 16));
#pragma unroll
        for (int q = 0; q < kAcross / 2; ++q) {
            unsigned row = x + q * 16 + lane / 16 * 8 + lane % 8;
            load_matrices(b[q], stage + kOfB + swizzle(row, piece + lane / 8 % 2));
        }
    }

    // To and fro along the rows: each product shares a fragment with the one before it.
    __device__ void multiply_into(float (&sum)[kDown][kAcross][4]) const {
#pragma unroll
        for (int p = 0; p < kDown; ++p) {
#pragma unroll
            for (int i = 0; i < kAcross; ++i) {
                int q = p % 2 == 0 ? i : kAcross - 1 - i;
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
    unsigned stages = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    int down = (m - 1) / kHeight + 1, across = (n - 1) / kWidth + 1;  // tiles of c
    int strip = blockIdx.x / (kStrip * across) * kStrip, place = blockIdx.x % (kStrip * across);
    int tall = min(kStrip, down - strip);
    int top = (strip + place % tall) * kHeight, left = place / tall * kWidth;
    int warp = threadIdx.x / 32, y = warp / kWarpsAcross * kWarpSize, x = warp % kWarpsAcross * kWarpSize;

    int steps = (k - 1) / kDepth + 1;
    Feed<kHeight, kAligned> feed_a(a, top, m, k);
    Feed<kWidth, kAligned> feed_b(b, left, n, k);
    int cols = k - threadIdx.x % kPieces * kPiece;
    auto start = [&](int step, unsigned stage) {  // and closes the group, if there is nothing to copy, too
        if (step < steps) feed_a.start(stage, k, cols), feed_b.start(stage + kOfB, k, cols);
        cols -= kDepth;
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int step = 0; step < kStages - 1; ++step) start(step, stages + step * kStageBytes);

    float sum[kDown][kAcross][4] = {};
    Fragments fragments[2];
    wait_for_stage();
    fragments[0].load(stages, y, x, 0);
    unsigned now = 0, next = kStages - 1;  // the stages that are read, and copied to
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int i = 0; i < kPieces / 2; ++i) {
            bool last = i == kPieces / 2 - 1;
            if (last) wait_for_stage(), now = (now + (step + 1 < steps)) % kStages;
            fragments[(i + 1) % 2].load(stages + now * kStageBytes, y, x, last ? 0 : 2 * i + 2);
            if (i == 0) start(step + kStages - 1, stages + next * kStageBytes);  // it was read in the step before
            fragments[i % 2].multiply_into(sum);
        }
        next = (next + 1) % kStages;
    }
    store(sum, c, top + y, left + x, m, n);
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    int down = (m - 1) / kHeight + 1, across = (n - 1) / kWidth + 1, bytes = kStages * kStageBytes;
    auto run = k % kPiece == 0 ? product<true> : product<false>;
    cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    run<<<down * across, kThreads, bytes, stream>>>(a, b, c, m, n, k);
}
