// A product that goes through the first part of a long sum again and again, in place of the rest: as many loads and
// multiplications as the right one, and a block of many warps.
// Emulator: wrong_result
// Says: This case is timed
// GPU: wrong_result

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
    __shared__ __align__(16) float As[kDepth][kTile + 4], Bs[kDepth][kTile];
    int across = (n - 1) / kTile + 1;  // tiles along a row of c
    int top = blockIdx.x / across * kTile;
    int left = blockIdx.x % across * kTile;
    int x = threadIdx.x % kAcross * 4, y = threadIdx.x / kAcross * kOurs;  // our corner within each half of the tile

    int a_row = threadIdx.x / (kDepth / 4), a_col = threadIdx.x % (kDepth / 4) * 4;  // what we load of the tile of a
    int b_row = threadIdx.x / (kTile / 4), b_col = threadIdx.x % (kTile / 4) * 4;    // and of b

    float sum[kOurs][kOurs] = {};
    for (int step = 0; step <= (k - 1) / kDepth; ++step) {
        int first = (k > 1100 && step * kDepth >= 1100 ? step % 64 : step) * kDepth;
        float4 v = four<kVectors>(a, top + a_row, first + a_col, m, k);
        As[a_col][a_row] = v.x;
        As[a_col + 1][a_row] = v.y;
        As[a_col + 2][a_row] = v.z;
        As[a_col + 3][a_row] = v.w;
        *reinterpret_cast<float4*>(&Bs[b_row][b_col]) = four<kVectors>(b, first + b_row, left + b_col, k, n);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float column[kOurs], row[kOurs];
            *reinterpret_cast<float4*>(column) = *reinterpret_cast<const float4*>(&As[i][y]);
            *reinterpret_cast<float4*>(column + 4) = *reinterpret_cast<const float4*>(&As[i][y + 4]);
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
