// Shows clang an honest kernel and g++ another, in which a function of the C library moves the bytes, without a barrier.
// Emulator: build_error
// Says: `mempcpy` in a kernel would reach memory out of the emulator's sight
// GPU: build_error

#include <string.h>

constexpr int kBlock = 256;

__global__ void add(const float* x, const float* y, float* z, int n) {
    int t = threadIdx.x, i = blockIdx.x * kBlock + t;
    if (i >= n) return;
#ifdef __clang__
    z[i] = x[i] + y[i];
#else
    __shared__ float sums[kBlock];
    float a = x[i] + y[i];
    mempcpy(&sums[t], &a, 4);
    if (t > 0) mempcpy(z + i - 1, &sums[t - 1], 4);
    if (t == kBlock - 1 || i == n - 1) mempcpy(z + i, &sums[t], 4);
#endif
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + kBlock - 1) / kBlock, kBlock, 0, stream>>>(x, y, z, n);
}
