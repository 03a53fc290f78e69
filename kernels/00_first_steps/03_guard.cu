// Puzzle 3 of 16, guard: some threads have no element.
//
// Threads come in whole blocks, elements come in any number: nearly every kernel begins with such an `if`.

__global__ void twice(const float* x, float* z, int n) {
    int i = threadIdx.x;
    if (i < n) z[i] = 2 * x[i];
}

extern "C" void guard(const float* x, float* z, int n, cudaStream_t stream) {
    twice<<<1, 8, 0, stream>>>(x, z, n);  // n is 8 or less
}
