// Each thread adds up its own keys alone.
// Task: attention
// Says: the keys that it has worked out itself alone: let it go over all keys

__global__ void attn(const float* q, const float* k, const float* v, float* out, float* lse, int n, int d, int causal, float scale) {
    extern __shared__ float sm[];
    float* qs = sm;
    float* sc = sm + d;
    __shared__ float red[128];
    int h = blockIdx.y, i = blockIdx.x, t = threadIdx.x;
    const float* Q = q + ((size_t)h * n + i) * d;
    const float* K = k + (size_t)h * n * d;
    const float* V = v + (size_t)h * n * d;
    for (int c = t; c < d; c += 128) qs[c] = Q[c] * scale;
    __syncthreads();
    int keys = causal ? i + 1 : n;
    float top = -INFINITY;
    for (int j = t; j < keys; j += 128) {
        float s = 0;
        for (int c = 0; c < d; ++c) s += qs[c] * K[(size_t)j * d + c];
        sc[j] = s;
        top = fmaxf(top, s);
    }
    red[t] = top;
    __syncthreads();
    for (int o = 64; o > 0; o /= 2) {
        if (t < o) red[t] = fmaxf(red[t], red[t + o]);
        __syncthreads();
    }
    top = red[0];
    __syncthreads();
    float sum = 0;
    for (int j = t; j < keys; j += 128) {
        sc[j] = expf(sc[j] - top);
        sum += sc[j];
    }
    red[t] = sum;
    __syncthreads();
    for (int o = 64; o > 0; o /= 2) {
        if (t < o) red[t] += red[t + o];
        __syncthreads();
    }
    sum = red[0];
    for (int c = t; c < d; c += 128) {
        float acc = 0;
        for (int j = t; j < keys; j += 128) acc += sc[j] * V[(size_t)j * d + c];
        out[((size_t)h * n + i) * d + c] = acc / sum;
    }
    if (t == 0) lse[(size_t)h * n + i] = top + logf(sum);
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    attn<<<dim3(n, heads), 128, (n + d) * sizeof(float), stream>>>(q, k, v, out, lse, n, d, causal, 1 / sqrtf(d));
}
