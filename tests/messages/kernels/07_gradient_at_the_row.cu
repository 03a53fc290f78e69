// The gradient is read at the row's number alone.
// Task: log_bmm_backward
// Says: What grad_a holds is right for grad_out[row] in the place of grad_out[row * 32 + col]

__global__ void grads(const float* a, const float* b, const float* out, const float* g, float* ga, float* gb, int batch, int n, int m, int p) {
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t na = (size_t)batch * n * m, nb = (size_t)batch * m * p;
    if (t < na) {
        int k = t % m;
        int i = t / m % n;
        int z = t / m / n;
        float s = 0;
        for (int j = 0; j < p; ++j) {
            float o = out[((size_t)z * n + i) * p + j];
            if (o == -INFINITY) continue;
            s += g[((size_t)z * n + i)] * expf(a[t] + b[((size_t)z * m + k) * p + j] - o);
        }
        ga[t] = s;
    } else if (t < na + nb) {
        t -= na;
        int j = t % p;
        int k = t / p % m;
        int z = t / p / m;
        float s = 0;
        for (int i = 0; i < n; ++i) {
            float o = out[((size_t)z * n + i) * p + j];
            if (o == -INFINITY) continue;
            s += g[((size_t)z * n + i) * p + j] * expf(a[((size_t)z * n + i) * m + k] + b[t] - o);
        }
        gb[t] = s;
    }
}
extern "C" void log_bmm_backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a,
                                 float* grad_b, int batch, int n, int m, int p, cudaStream_t stream) {
    size_t total = (size_t)batch * n * m + (size_t)batch * m * p;
    grads<<<(total + 127) / 128, 128, 0, stream>>>(a, b, out, grad_out, grad_a, grad_b, batch, n, m, p);
}
