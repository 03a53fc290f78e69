// 1 / d in the place of its root.
// Task: attention
// Says: is right for scores that are divided by d, or by sqrt(d) twice

__global__ void attend(const float* q, const float* k, const float* v, float* out, float* lse, int n, int d, int causal) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long head = (long)blockIdx.y * n * d;
    float top = -INFINITY, sum = 0, acc[128];
    for (int c = 0; c < d; ++c) acc[c] = 0;
    for (int j = 0; j < (causal ? i + 1 : n); ++j) {
        float s = 0;
        for (int c = 0; c < d; ++c) s += q[head + i * d + c] * k[head + j * d + c];
        s *= (1.0f / d);
        float now = fmaxf(top, s), old = expf(top - now), e = expf(s - now);
        sum = sum * old + e;
        for (int c = 0; c < d; ++c) acc[c] = acc[c] * old + e * v[head + j * d + c];
        top = now;
    }
    for (int c = 0; c < d; ++c) out[head + i * d + c] = acc[c] / sum;
    lse[blockIdx.y * n + i] = top + logf(sum);
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    attend<<<dim3((n + 63) / 64, heads), 64, 0, stream>>>(q, k, v, out, lse, n, d, causal);
}
