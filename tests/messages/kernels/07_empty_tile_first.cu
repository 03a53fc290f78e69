// Task: log_bmm
// Says: inputs: masked
// Says: is -inf, but should be 2.406328
// A tile of nothing but -inf comes first: the sum is NaN from then on.
#include <cstdint>
template <int T> __global__ void lse(const float* a, const float* b, float* out, int n, int m, int p) {
    __shared__ float as[T][T + 1], bs[T][T];
    int batch = blockIdx.z, i = blockIdx.y * T + threadIdx.y, j = blockIdx.x * T + threadIdx.x;
    a += (size_t)batch * n * m, b += (size_t)batch * m * p, out += (size_t)batch * n * p;
    float top = -INFINITY, sum = 0;
    for (int k0 = 0; k0 < m; k0 += T) {
        as[threadIdx.y][threadIdx.x] = i < n && k0 + threadIdx.x < m ? a[(size_t)i * m + k0 + threadIdx.x] : -INFINITY;
        bs[threadIdx.y][threadIdx.x] = j < p && k0 + threadIdx.y < m ? b[(size_t)(k0 + threadIdx.y) * p + j] : -INFINITY;
        __syncthreads();
        float t = top;
        for (int k = 0; k < T; ++k) t = fmaxf(t, as[threadIdx.y][k] + bs[k][threadIdx.x]);
        {
            sum *= expf(top - t);
            for (int k = 0; k < T; ++k) sum += expf(as[threadIdx.y][k] + bs[k][threadIdx.x] - t);
            top = t;
        }
        __syncthreads();
    }
    if (i < n && j < p) out[(size_t)i * p + j] = sum > 0 ? top + logf(sum) : -INFINITY;
}
extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p, cudaStream_t stream) {
    constexpr int T = 16;
    for (int z = 0; z < batch; z += 65535) {
        int now = batch - z < 65535 ? batch - z : 65535;
        lse<T><<<dim3((p + T - 1) / T, (n + T - 1) / T, now), dim3(T, T), 0, stream>>>(a + (size_t)z * n * m, b + (size_t)z * m * p, out + (size_t)z * n * p, n, m, p);
    }
}
