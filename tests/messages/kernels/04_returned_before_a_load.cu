// A thread outside of c returns, and its part of the tiles is not loaded.
// Says: before anything was written there
// Says: which thread was to write this element?
// Says: where one returns first

constexpr int kTile = 32;

__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float As[kTile][kTile], Bs[kTile][kTile];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * kTile + y;
    int col = blockIdx.x * kTile + x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int first = 0; first < k; first += kTile) {
        As[y][x] = first + x < k ? a[row * k + first + x] : 0;
        Bs[y][x] = first + y < k ? b[(first + y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < kTile; i++) sum += As[y][i] * Bs[i][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    dim3 threads(kTile, kTile);
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    product<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
