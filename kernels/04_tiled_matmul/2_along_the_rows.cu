// Rung 2 of 13: neighbouring threads along the rows of c.
//
// Only x and y have changed places. The 32 lanes of a warp now read 16 neighbouring floats of a row of b, in two
// sectors, and two floats of a, which 16 lanes share. Rung 1 moved 17 sectors for the same.
//
// Still 2 k floats a thread: each element of a is asked for by n threads, each of b by m. Rung 3 changes that.
//
// Counted on 512 x 1024 x 32: load efficiency 56 %, 683 bytes loaded per input byte.
// On an H200, m=4096 n=4096 k=4096: 1_down_the_rows 142 ms, 2_along_the_rows 25.9 ms.

#include <cstdint>

constexpr int kSide = 16;  // a block computes kSide x kSide outputs

__global__ void one_output(const float* a, const float* b, float* c, int m, int n, int k) {
    int across = (n - 1) / kSide + 1;  // blocks along a row of c
    int row = blockIdx.x / across * kSide + threadIdx.y;
    int col = blockIdx.x % across * kSide + threadIdx.x;
    if (row < m && col < n) {
        float sum = 0;
        for (int i = 0; i < k; ++i) {
            sum += a[static_cast<std::int64_t>(row) * k + i] * b[static_cast<std::int64_t>(i) * n + col];
        }
        c[static_cast<std::int64_t>(row) * n + col] = sum;
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    unsigned down = (m - 1) / kSide + 1, across = (n - 1) / kSide + 1;
    one_output<<<down * across, dim3(kSide, kSide), 0, stream>>>(a, b, c, m, n, k);
}
