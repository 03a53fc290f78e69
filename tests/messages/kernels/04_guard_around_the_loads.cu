// Says: of the block's 256 threads stored in A so far
// Says: where a guard that is meant for the output keeps it from loading its share
constexpr int kTile = 16;
__global__ void tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float A[kTile][kTile], B[kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    const bool inside = row < m && col < n;
    float sum = 0.0f;
    for (int from = 0; from < k; from += kTile) {
        if (inside) {
            A[threadIdx.y][threadIdx.x] = from + threadIdx.x < k ? a[row * k + from + threadIdx.x] : 0.0f;
            B[threadIdx.y][threadIdx.x] = from + threadIdx.y < k ? b[(from + threadIdx.y) * n + col] : 0.0f;
        }
        __syncthreads();
        if (inside)
            for (int i = 0; i < kTile && from + i < k; ++i) sum += A[threadIdx.y][i] * B[i][threadIdx.x];
        __syncthreads();
    }
    if (inside) c[row * n + col] = sum;
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    tiled<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(a, b, c, m, n, k);
}
