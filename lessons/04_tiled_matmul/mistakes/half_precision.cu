// The tiles hold half precision, which has 10 bits of fraction where float has 23.
// Expect: wrong_result

#include <cstdint>

#include <cuda_fp16.h>

constexpr int kTile = 32;

// x[row][col] of a rows x cols matrix, or zero outside: zeros add nothing to a product.
__device__ float at(const float* x, int row, int col, int rows, int cols) {
    return row < rows && col < cols ? x[static_cast<std::int64_t>(row) * cols + col] : 0.0f;
}

__global__ void tile(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ __half As[kTile][kTile], Bs[kTile][kTile];
    int across = (n - 1) / kTile + 1;  // tiles along a row of c
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x / across * kTile + y;
    int col = blockIdx.x % across * kTile + x;

    float sum = 0;
    for (int step = 0; step <= (k - 1) / kTile; ++step) {
        int first = step * kTile;
        As[y][x] = __float2half(at(a, row, first + x, m, k));
        Bs[y][x] = __float2half(at(b, first + y, col, k, n));
        __syncthreads();
        for (int i = 0; i < kTile; ++i) {
            sum += __half2float(As[y][i]) * __half2float(Bs[i][x]);
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        c[static_cast<std::int64_t>(row) * n + col] = sum;
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    unsigned down = (m - 1) / kTile + 1, across = (n - 1) / kTile + 1;
    tile<<<down * across, dim3(kTile, kTile), 0, stream>>>(a, b, c, m, n, k);
}
