// Moves everything by memcpy of 24 bytes, which g++ would write out in place: the loads and stores count all the same.
// Emulator: passed
// GPU: passed

#include <string.h>
constexpr int kBlock = 64;
struct Six { float v[6]; };
__global__ void add(const float* x, const float* y, float* z, int n) {
    __shared__ Six sums[kBlock];
    int t = threadIdx.x;
    long long i = ((long long)blockIdx.x * kBlock + t) * 6;
    if (i >= n) return;
    if (i + 6 <= n) {
        Six a, b, c, d;
        memcpy(&a, x + i, sizeof a); memcpy(&b, y + i, sizeof b);
        for (int k = 0; k < 6; ++k) c.v[k] = a.v[k] + b.v[k];
        memcpy(&sums[t], &c, sizeof c);
        memcpy(&d, &sums[t], sizeof d);
        memcpy(z + i, &d, sizeof d);
    } else for (; i < n; ++i) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n / 6 + kBlock) / kBlock, kBlock, 0, stream>>>(x, y, z, n);
}
