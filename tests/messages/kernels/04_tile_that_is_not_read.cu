// Both factors are read from the tile of a.
// Says: The shared array `sB` is filled in line 14, and no line reads it

#define T 16
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float sA[T][T];
    __shared__ float sB[T][T];
    int ty = threadIdx.y, tx = threadIdx.x;
    int row = blockIdx.y * T + ty;
    int col = blockIdx.x * T + tx;
    float acc = 0.0f;
    for (int t = 0; t < (K + T - 1) / T; ++t) {
        sA[ty][tx] = (row < M && t * T + tx < K) ? A[row * K + t * T + tx] : 0.0f;
        sB[ty][tx] = (col < N && t * T + ty < K) ? B[(t * T + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int kk = 0; kk < T; ++kk) acc += sA[ty][kk] * sA[kk][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    dim3 block(T, T);
    dim3 grid((n + T - 1) / T, (m + T - 1) / T);
    mm<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
