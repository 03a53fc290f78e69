// A single block computes one tile after the other: right, and one multiprocessor works while the others rest.
// Expect: passed, 1 star

#include <cstdint>

constexpr int kTile = 32;

// x[row][col] of a rows x cols matrix, or zero outside: zeros add nothing to a product.
__device__ float at(const float* x, int row, int col, int rows, int cols) {
    return row < rows && col < cols ? x[static_cast<std::int64_t>(row) * cols + col] : 0.0f;
}

__global__ void tile(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float As[kTile][kTile], Bs[kTile][kTile];
    int across = (n - 1) / kTile + 1;  // tiles along a row of c
    int x = threadIdx.x, y = threadIdx.y;
    int tiles = ((m - 1) / kTile + 1) * across;
    for (int t = 0; t < tiles; ++t) {
        int row = t / across * kTile + y;
        int col = t % across * kTile + x;
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
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    tile<<<1, dim3(kTile, kTile), 0, stream>>>(a, b, c, m, n, k);
}
