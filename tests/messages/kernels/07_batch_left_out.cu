// All matrices of the batch are stored in the first one's place.
// Task: log_bmm
// Says: These differ in blockIdx.z alone: let that, `z` here, have its share

__global__ void logbmm(const float* a, const float* b, float* out, int batch, int n, int m, int p) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= p) return;
    for (int z = blockIdx.z; z < batch; z += gridDim.z) {
        const float* A = a + (size_t)z * n * m;
        const float* B = b + (size_t)z * m * p;
        float top = -INFINITY;
        for (int k = 0; k < m; ++k) top = fmaxf(top, A[(size_t)i * m + k] + B[(size_t)k * p + j]);
        float s = 0;
        if (top > -INFINITY)
            for (int k = 0; k < m; ++k) s += expf(A[(size_t)i * m + k] + B[(size_t)k * p + j] - top);
        out[(size_t)i * p + j] = top > -INFINITY ? top + logf(s) : -INFINITY;
    }
}
extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p, cudaStream_t stream) {
    dim3 block(16, 16);
    dim3 grid((p + 15) / 16, (n + 15) / 16, batch < 65535 ? batch : 65535);
    logbmm<<<grid, block, 0, stream>>>(a, b, out, batch, n, m, p);
}
