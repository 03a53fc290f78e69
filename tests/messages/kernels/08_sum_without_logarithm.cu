// Says: lse is the maximum and the sum of expf(score - maximum): take the sum's logarithm
// Task: attention
template <int D>
__global__ void flash(const float* Q, const float* K, const float* V, float* O, float* L, int n, int causal, float scale) {
    constexpr int B = 32;
    __shared__ float Ks[B][D + 1], Vs[B][D];
    int head = blockIdx.y, tid = threadIdx.x;
    int i = blockIdx.x * B + tid;
    const size_t base = (size_t)head * n * D;
    float q[D], o[D];
    for (int c = 0; c < D; c++) q[c] = i < n ? Q[base + (size_t)i * D + c] : 0.f, o[c] = 0.f;
    float m = -INFINITY, l = 0.f;
    int tiles = (n + B - 1) / B;
    for (int t = 0; t < tiles; t++) {
        if (causal && t * B > blockIdx.x * B + B - 1) break;
        for (int e = tid; e < B * D; e += B) {
            int r = e / D, c = e % D, key = t * B + r;
            Ks[r][c] = key < n ? K[base + (size_t)key * D + c] : 0.f;
            Vs[r][c] = key < n ? V[base + (size_t)key * D + c] : 0.f;
        }
        __syncthreads();
        for (int r = 0; r < B; r++) {
            int key = t * B + r;
            if (key >= n || (causal && key > i)) break;
            float s = 0.f;
            for (int c = 0; c < D; c++) s += q[c] * Ks[r][c];
            s *= scale;
            float mn = fmaxf(m, s), al = expf(m - mn), p = expf(s - mn);
            l = l * al + p;
            for (int c = 0; c < D; c++) o[c] = o[c] * al + p * Vs[r][c];
            m = mn;
        }
        __syncthreads();
    }
    if (i < n) {
        for (int c = 0; c < D; c++) O[base + (size_t)i * D + c] = o[c] / l;
        L[(size_t)head * n + i] = m + l;
    }
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {
    dim3 grid((n + 31) / 32, heads);
    float scale = 1.f / sqrtf((float)d);
    switch (d) {
        case 32: flash<32><<<grid, 32, 0, stream>>>(q, k, v, out, lse, n, causal, scale); break;
        case 64: flash<64><<<grid, 32, 0, stream>>>(q, k, v, out, lse, n, causal, scale); break;
        case 128: flash<128><<<grid, 32, 0, stream>>>(q, k, v, out, lse, n, causal, scale); break;
    }
}
