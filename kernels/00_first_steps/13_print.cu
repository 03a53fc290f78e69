// Puzzle 13 of 16, print: ask a thread what it sees.
//
// A kernel runs thousands of threads, so choose the one that prints. What it says appears below the
// verdict.

#include <cstdio>

__global__ void halve(const float* x, float* z) {
    int i = threadIdx.x;
    z[i] = x[i] / 2;
    if (i == 3) printf("thread %d has %.2f\n", i, x[i]);
}

extern "C" void print(const float* x, float* z, int n, cudaStream_t stream) {
    halve<<<1, n, 0, stream>>>(x, z);
}
