// One of four statements leaves the first round out.
// Says: This is so of what is wrong, and all else is right: c lacks every 8th column of a, from the first on

#define BM 32
#define BK 8
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[BK][BM], Bs[BK][BM];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int m0 = blockIdx.y * BM, n0 = blockIdx.x * BM;
    float acc[2][2] = {{0, 0}, {0, 0}};
    for (int k0 = 0; k0 < K; k0 += BK) {
        int ar = t / BK, ac = t % BK;
        As[ac][ar] = (m0 + ar < M && k0 + ac < K) ? A[(m0 + ar) * K + k0 + ac] : 0;
        int br = t / BM, bc = t % BM;
        Bs[br][bc] = (k0 + br < K && n0 + bc < N) ? B[(k0 + br) * N + n0 + bc] : 0;
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float a0 = As[k][ty * 2], a1 = As[k][ty * 2 + 1];
            float b0 = Bs[k][tx * 2], b1 = Bs[k][tx * 2 + 1];
            acc[0][0] += a0 * b0; acc[0][1] += a0 * b1;
            if (k) acc[1][0] += a1 * b0; acc[1][1] += a1 * b1;
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            int r = m0 + ty * 2 + i, c = n0 + tx * 2 + j;
            if (r < M && c < N) C[r * N + c] = acc[i][j];
        }
}
extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    mm<<<dim3((n + BM - 1) / BM, (m + BM - 1) / BM), 256, 0, stream>>>(a, b, c, m, n, k);
}
