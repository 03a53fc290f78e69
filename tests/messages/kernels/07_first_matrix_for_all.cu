// a's index lacks the batch.
// Task: log_bmm
// Says: What out holds is right for the first matrix of a in the place of every matrix: is the matrix missing from its index?

__global__ void prod(const float* a, const float* b, float* out, int n, int m, int p) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= n || j >= p) return;
    a += (long)i * m;
    b += (long)blockIdx.z * m * p + j;
    float top = -INFINITY, sum = 0;
    for (int k = 0; k < m; ++k) top = fmaxf(top, a[k] + b[k * p]);
    for (int k = 0; k < m; ++k) sum += expf(a[k] + b[k * p] - top);
    out[((long)blockIdx.z * n + i) * p + j] = top == -INFINITY ? top : logf(sum) + top;
}
extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p, cudaStream_t stream) {
    prod<<<dim3((p + 15) / 16, (n + 15) / 16, batch), dim3(16, 16), 0, stream>>>(a, b, out, n, m, p);
}
