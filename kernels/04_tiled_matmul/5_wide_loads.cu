// Rung 5 of 13: sixteen bytes a load.
//
// One instruction moves a float4, from device memory into the tiles, from the tile of b into registers, and from
// registers into c. Rung 4 takes four for the same bytes.
//
// A thread's 8 columns of c are two groups of 4, half a tile apart. So neighbouring lanes read neighbouring float4 of
// b's tile, and not every other one: no bank is asked for two words in the same wavefront.
//
// A float4 must lie at a multiple of 16 bytes. Where rows do not begin at one, all floats are moved one by one.
//
// Of a's tile a thread still reads 8 floats of a column, one below the other, one by one. Rung 6 changes that.
//
// Counted on 512 x 1024 x 32: 2,048 loads from device memory (rung 4: 8,192), stores in whole sectors, 0.38
// wavefronts of shared memory per output (0.75).
// On an H200, m=4096 n=4096 k=4096: 4_register_tile 6.03 ms, 5_wide_loads 4.31 ms.
//
// What did not help: unrolling the loop over i (5.8 ms), as the rungs above do.

#include <cstdint>

constexpr int kTile = 128;  // a block's share of c
constexpr int kDepth = 8;   // of the tiles, along k
constexpr int kOurs = 8;    // a thread's share of c is kOurs x kOurs
constexpr int kAcross = kTile / kOurs;
constexpr int kThreads = kAcross * kAcross;
constexpr int kHalf = kTile / 2;
static_assert(kTile * kDepth == 4 * kThreads, "each thread loads one float4 of each tile");

// x[row][col ... col + 3] of a rows x cols matrix, with zeros outside. kVectors: cols and x are multiples of 16 bytes.
template <bool kVectors> __device__ float4 four(const float* x, int row, int col, int rows, int cols) {
    float4 v = make_float4(0, 0, 0, 0);
    if (row < rows) {
        const float* from = x + static_cast<std::int64_t>(row) * cols + col;
        if (kVectors) {
            if (col < cols) v = *reinterpret_cast<const float4*>(from);
        } else {
            if (col < cols) v.x = from[0];
            if (col + 1 < cols) v.y = from[1];
            if (col + 2 < cols) v.z = from[2];
            if (col + 3 < cols) v.w = from[3];
        }
    }
    return v;
}

template <bool kVectors> __device__ void put(float* row_of_c, int col, int n, const float* v) {
    if (kVectors) {
        if (col < n) *reinterpret_cast<float4*>(row_of_c + col) = make_float4(v[0], v[1], v[2], v[3]);
    } else {
        for (int q = 0; q < 4; ++q) {
            if (col + q < n) row_of_c[col + q] = v[q];
        }
    }
}

template <bool kVectors>
__global__ void __launch_bounds__(kThreads) tile(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ __align__(16) float As[kTile][kDepth], Bs[kDepth][kTile];
    int across = (n - 1) / kTile + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kTile;
    int left = blockIdx.x % across * kTile;
    int x = threadIdx.x % kAcross * 4, y = threadIdx.x / kAcross * kOurs;  // our corner within each half of the tile

    int a_row = threadIdx.x / (kDepth / 4), a_col = threadIdx.x % (kDepth / 4) * 4;  // what we load of the tile of a
    int b_row = threadIdx.x / (kTile / 4), b_col = threadIdx.x % (kTile / 4) * 4;    // and of b

    float sum[kOurs][kOurs] = {};
    for (int step = 0; step <= (k - 1) / kDepth; ++step) {
        int first = step * kDepth;
        *reinterpret_cast<float4*>(&As[a_row][a_col]) = four<kVectors>(a, top + a_row, first + a_col, m, k);
        *reinterpret_cast<float4*>(&Bs[b_row][b_col]) = four<kVectors>(b, first + b_row, left + b_col, k, n);
        __syncthreads();
        for (int i = 0; i < kDepth; ++i) {
            float column[kOurs], row[kOurs];
            for (int p = 0; p < kOurs; ++p) {
                column[p] = As[y + p][i];
            }
            *reinterpret_cast<float4*>(row) = *reinterpret_cast<const float4*>(&Bs[i][x]);
            *reinterpret_cast<float4*>(row + 4) = *reinterpret_cast<const float4*>(&Bs[i][x + kHalf]);
            for (int p = 0; p < kOurs; ++p) {
                for (int q = 0; q < kOurs; ++q) {
                    sum[p][q] += column[p] * row[q];
                }
            }
        }
        __syncthreads();
    }
    for (int p = 0; p < kOurs && top + y + p < m; ++p) {
        float* row_of_c = c + static_cast<std::int64_t>(top + y + p) * n;
        put<kVectors>(row_of_c, left + x, n, sum[p]);
        put<kVectors>(row_of_c, left + x + kHalf, n, sum[p] + 4);
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    auto aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; };
    bool vectors = aligned(a) && aligned(b) && aligned(c) && k % 4 == 0 && n % 4 == 0;
    unsigned down = (m - 1) / kTile + 1, across = (n - 1) / kTile + 1;
    auto product = vectors ? tile<true> : tile<false>;
    product<<<down * across, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
