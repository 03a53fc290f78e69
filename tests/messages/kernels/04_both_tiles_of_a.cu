// The tile of b is loaded from a.
// Says: The kernel tile takes `b` in line
// Says: no line of it reads that
constexpr int T = 16;
__global__ void tile(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float As[T][T], Bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += T) {
        int x = first + threadIdx.x, y = first + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = y < k && col < n ? a[y * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < T; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    tile<<<dim3((n + T - 1) / T, (m + T - 1) / T), dim3(T, T), 0, stream>>>(a, b, c, m, n, k);
}
