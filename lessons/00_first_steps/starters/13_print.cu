// Puzzle 13 of 16, print: ask a thread what it sees.
//
// The kernel halves x, and is right. Let thread 3, and no other thread, print one line, its number and its
// element of x with two digits, exactly like this: `thread 3 has 2.50`. printf works in kernels as it does
// in C.
//
//   thread   0    1    2    3    4
//                           |
//            thread 3 has 2.50
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

#include <cstdio>

__global__ void halve(const float* x, float* z) {
    int i = threadIdx.x;
    z[i] = x[i] / 2;
    // your turn: print from thread 3
}

extern "C" void print(const float* x, float* z, int n, cudaStream_t stream) {
    halve<<<1, n, 0, stream>>>(x, z);
}
