// The tiles of c are counted across its m rows instead of its n columns, which are as many if c is square.
// Expect: not_written

#include <cstdint>

constexpr int kTile = 32;

// x[row][col] of a rows x cols matrix, or zero outside: zeros add nothing to a product.
__device__ float at(const float* x, int row, int col, int rows, int cols) {
    return row < rows && col < cols ? x[static_cast<std::int64_t>(row) * cols + col] : 0.0f;
}

__global__ void tile(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float As[kTile][kTile], Bs[kTile][kTile];
    int across = (m - 1) / kTile + 1;  // tiles along a row of c
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x / across * kTile + y;
    int col = blockIdx.x % across * kTile + x;

    float sum = 0;
    for (int step = 0; step <= (k - 1) / kTile; ++step) {
        int first = step * kTile;
        As[y][x] = at(a, row, first + x, m, k);
        Bs[y][x] = at(b, first + y, col, k, n);
        __syncthreads();
        for (int i = 0; i < kTile; ++i) {
            sum += As[y][i] * Bs[i][x];
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
