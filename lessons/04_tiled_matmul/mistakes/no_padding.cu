// Where the tile reaches over the edge nothing is loaded, and what lies there is added up.
// Expect: uninitialized_read

#include <cstdint>

constexpr int kTile = 32;

__global__ void tile(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float As[kTile][kTile], Bs[kTile][kTile];
    int across = (n - 1) / kTile + 1;  // tiles along a row of c
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x / across * kTile + y;
    int col = blockIdx.x % across * kTile + x;

    float sum = 0;
    for (int step = 0; step <= (k - 1) / kTile; ++step) {
        int first = step * kTile;
        if (row < m && first + x < k) {
            As[y][x] = a[static_cast<std::int64_t>(row) * k + first + x];
        }
        if (first + y < k && col < n) {
            Bs[y][x] = b[static_cast<std::int64_t>(first + y) * n + col];
        }
        // else: zero must go there
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
