// Each of 4,096 blocks prints a megabyte, kept until the launch is over.
// Emulator: timeout or not_written
// Says: n=1
// GPU: not_written or timeout
// Slow: a gigabyte is printed

#include <cstdio>

__global__ void shout() {
    for (int i = 0; i < 300; ++i) printf("%4000d\n", i);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    if (n == 1) shout<<<4096, 1, 0, stream>>>();
}
