// Rows of a are k long, not n.
// Says: past its end: a has
// Says: What c holds is right where row i of a begins at i * n

__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * n + i] * b[i * n + col];
    c[row * n + col] = sum;
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    product<<<dim3((n - 1) / 32 + 1, (m - 1) / 32 + 1), dim3(32, 32), 0, stream>>>(a, b, c, m, n, k);
}
