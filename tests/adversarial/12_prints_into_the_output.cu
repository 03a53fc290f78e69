// printf stores the sums, a byte at a time: it writes down how many characters there have been.
// Emulator: crash
// Says: printf in a kernel knows no %n
// GPU: wrong_result or not_written

#include <cstdio>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned sum = __float_as_uint(x[i] + y[i]);
    for (int k = 0; k < 4; ++k) printf("%*s%hhn", sum >> 8 * k & 255, "", (signed char*)(z + i) + k);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
