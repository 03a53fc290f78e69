// Rung 8 of 8: rows that begin anywhere.
//
// cp.async wants 16 bytes that begin at a multiple of 16. If k is no multiple of 8, most rows do not, and the rungs
// below load such matrices element by element: eight loads for one. Here a small kernel first copies them to rows that
// begin at multiples of 128 bytes, filled up with zeros. That moves each element once more, m k + n k of them; the
// product reads each many times. And a row of a tile then lies in one line of the cache: at multiples of 16 bytes most
// lie in two, which takes 4 % longer at 4095 x 4097 x 4099.
//
// And rows of c: if n is odd, every second one begins between two pairs, and what a lane holds goes to two places. So
// a warp puts its outputs into shared memory first, where the tiles were, and stores row after row from there.
//
// On the way there outputs can change sides: the same code computes c, or b * a^T, which is c turned, whichever has
// fewer tiles. Of 4097 x 4095 there are 17 x 32, five waves of blocks on 132 multiprocessors; turned there are 16 x 33,
// and four.
//
// On an H200, m=4096 n=4096 k=4096: 7_registers_ahead 465 Tflop/s, 8_any_row 467 Tflop/s, cuBLAS 758 Tflop/s.
// On an H200, m=4095 n=4097 k=4099: 7_registers_ahead 88.5 Tflop/s, 8_any_row 411 Tflop/s, cuBLAS 137 Tflop/s.
//
// The last tile along k is often a small part of one: only what is left of it is multiplied.
//
// Tried: copies of the next tile spread over the products of a step (1 % faster, at 4000 x 4100 x 4200 3 %); no
// products outside of c, asked before each (28 % slower at 4095 x 4097 x 4099, and 11 % at 4096). cuBLAS multiplies by
// wgmma. Of its kernels with mma.sync benchmarks/cublaslt.py timed those that cuBLASLt lists without a workspace: the
// best has 3 % more than this rung at 4096, and no more at 8192. So that is about as far as mma.sync goes on this card.
// Copies take 37 us at 4095 x 4097 x 4099; a row for each block is 4 % slower there in words or pairs, and the same in
// 16 bytes; copies of 8 and 4 bytes straight into the tiles need no second matrix and are 26 and 64 % slower.

#include <cuda_bf16.h>

#include <cstdint>
#include <utility>

#include "../../common/scratch.cuh"
#include "../wide_rows.cuh"

constexpr int kHeight = 256, kWidth = 128, kDepth = 64;  // of a block's tiles: rows of a, rows of b, columns of both
constexpr int kStages = 4;                               // tiles in shared memory
constexpr int kStrip = 8;                                // rows of tiles that are walked along together
constexpr int kWarpSize = 64;                            // rows and columns of a warp's outputs
constexpr int kDown = kWarpSize / 16, kAcross = kWarpSize / 8;
constexpr int kWarpsAcross = kWidth / kWarpSize, kThreads = 32 * kWarpsAcross * kHeight / kWarpSize;
constexpr int kPitch = kWarpSize + 8;  // floats between rows of outputs, so that eight do not share banks
constexpr int kPieces = kDepth / kPiece;  // of 16 bytes, in a row

constexpr unsigned kRow = kDepth * 2;  // bytes from row to row of a tile
constexpr unsigned kOfB = kHeight * kRow, kStageBytes = (kHeight + kWidth) * kRow;  // a stage: a's tile, then b's

// Where piece `piece` of a row lies in a tile.
__device__ unsigned swizzle(unsigned row, unsigned piece) { return row * kRow + (piece ^ row % 8) * 16; }

// Copies a thread's share of tiles: a piece of every kStep-th row, of one tile after the other along k.
template <int kRows> struct Feed {
    static constexpr int kStep = kThreads / kPieces;
    const __nv_bfloat16* from;
    int rows;     // how many there are from ours on
    unsigned to;  // our first piece's place: the next is kStep rows on, as every eighth row has the same swizzle

    __device__ Feed(const __nv_bfloat16* matrix, int top, int all_rows, int pitch) {
        int row = threadIdx.x / kPieces, piece = threadIdx.x % kPieces;
        from = matrix + static_cast<std::int64_t>(top + row) * pitch + piece * kPiece;
        rows = all_rows - top - row, to = swizzle(row, piece);
    }

    // Outside of the matrix there are zeros: of 16 bytes, none is copied. `cols` are those from ours on.
    __device__ void start(unsigned tile, std::int64_t pitch, int cols) {
#pragma unroll
        for (int i = 0; i < kRows / kStep; ++i) {
            bool inside = i * kStep < rows && cols > 0;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(tile + to + i * kStep * kRow),
                         "l"(from + i * kStep * pitch), "r"(inside ? 16 : 0)
                         : "memory");
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

// Gives every pair of our outputs to `put`, with its row and column among the warp's.
template <class Put> __device__ void for_each_pair(const float (&sum)[kDown][kAcross][4], Put put) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < kDown * 2; ++i) {
#pragma unroll
        for (int q = 0; q < kAcross; ++q) {
            float2 both = {sum[i / 2][q][i % 2 * 2], sum[i / 2][q][i % 2 * 2 + 1]};
            put(i * 8 + lane / 4, q * 8 + lane % 4 * 2, both);
        }
    }
}

// Stores a warp's outputs, `to` being where the first belongs, of which so many rows and columns are c's. If rows begin
// anywhere, a pair may not be stored at once: then all go through shared memory, and from there row after row. So does
// a turned product, whose columns are c's rows.
__device__ void store(const float (&sum)[kDown][kAcross][4], float* own, float* to, int rows, int cols, int n,
                      bool turned) {
    if (n % 2 == 0 && !turned) {
        return for_each_pair(sum, [&](int y, int x, float2 both) {
            // Outputs are not read again: they need not push the matrices out of the L2 cache.
            if (y < rows && x < cols) __stcs(reinterpret_cast<float2*>(&to[std::int64_t{y} * n + x]), both);
        });
    }
    __syncthreads();  // all have read the last tile, which lies there
    int pitch = turned ? kPitch - 4 : kPitch;
    for_each_pair(sum, [&](int y, int x, float2 both) {
        if (turned) own[x * pitch + y] = both.x, own[(x + 1) * pitch + y] = both.y;
        else *reinterpret_cast<float2*>(&own[y * pitch + x]) = both;
    });
    __syncwarp();
    int height = turned ? cols : rows, width = turned ? rows : cols;
#pragma unroll 8
    for (int y = 0; y < kWarpSize; ++y) {
        for (int x = threadIdx.x % 32; x < kWarpSize; x += 32) {
            if (y < height && x < width) __stcs(&to[std::int64_t{y} * n + x], own[y * pitch + x]);
        }
    }
}

__global__ void __launch_bounds__(kThreads)
    product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k, int pitch, bool turned) {
    extern __shared__ uint4 shared[];
    unsigned stages = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    int down = (m - 1) / kHeight + 1, across = (n - 1) / kWidth + 1;  // tiles of c
    int strip = blockIdx.x / (kStrip * across) * kStrip, place = blockIdx.x % (kStrip * across);
    int tall = min(kStrip, down - strip);
    int top = (strip + place % tall) * kHeight, left = place / tall * kWidth;
    int warp = threadIdx.x / 32, y = warp / kWarpsAcross * kWarpSize, x = warp % kWarpsAcross * kWarpSize;

    int steps = (k - 1) / kDepth + 1;
    Feed<kHeight> feed_a(a, top, m, pitch);
    Feed<kWidth> feed_b(b, left, n, pitch);
    int cols = k - threadIdx.x % kPieces * kPiece;
    auto start = [&](int step, unsigned stage) {  // and closes the group, if there is nothing to copy, too
        if (step < steps) feed_a.start(stage, pitch, cols), feed_b.start(stage + kOfB, pitch, cols);
        cols -= kDepth;
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int step = 0; step < kStages - 1; ++step) start(step, stages + step * kStageBytes);

    float sum[kDown][kAcross][4] = {};
    Fragments fragments[2];
    wait_for_stage();
    fragments[0].load(stages, y, x, 0);
    unsigned now = 0, next = kStages - 1;  // the stages that are read, and copied to
    for (int step = 0; step < k / kDepth; ++step) {
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
#pragma unroll 1
    for (int i = 0; i < k % kDepth; i += 16) {  // of the last tile, only what is left of k
        if (i > 0) fragments[0].load(stages + now * kStageBytes, y, x, i / kPiece);
        fragments[0].multiply_into(sum);
    }
    float* own = reinterpret_cast<float*>(shared) + warp * kWarpSize * kPitch;
    top += y, left += x;
    float* to = turned ? c + std::int64_t{left} * m + top : c + std::int64_t{top} * n + left;
    store(sum, own, to, m - top, n - left, turned ? m : n, turned);
}

int tiles(int m, int n) { return ((m - 1) / kHeight + 1) * ((n - 1) / kWidth + 1); }

// Turned, if b * a^T has fewer tiles.
void multiply(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k, int pitch,
              cudaStream_t stream) {
    int bytes = kStages * kStageBytes;
    bool turned = tiles(n, m) < tiles(m, n);
    cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (turned) std::swap(a, b), std::swap(m, n);
    product<<<tiles(m, n), kThreads, bytes, stream>>>(a, b, c, m, n, k, pitch, turned);
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    if (k % kPiece == 0) return multiply(a, b, c, m, n, k, k, stream);
    int pieces = (k - 1) / kPiece + 1, pitch = ((k - 1) / kDepth + 1) * kDepth;
    std::int64_t rows = m + std::int64_t{n};
    Scratch scratch(rows * pitch / 2, stream);  // counts floats
    auto wide = reinterpret_cast<__nv_bfloat16*>(scratch.data);
    widen<<<(rows * pieces - 1) / 256 + 1, 256, 0, stream>>>(a, b, reinterpret_cast<uint4*>(wide), m, n, k, pitch);
    multiply(wide, wide + std::int64_t{m} * pitch, c, m, n, pieces * kPiece, pitch, stream);
}
