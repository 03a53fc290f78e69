// Puzzle 11 of 16, atomic: many threads, one counter.
//
// count[0] is the number of elements that are greater than 0. It is 0 when the kernel begins. Read, add,
// write are three steps: if two threads do them at once, one addition is lost. atomicAdd does all three in
// one.
//
//   thread 0   reads 5          writes 6
//   thread 1        reads 5          writes 6     and not 7!
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void count_positive(const float* x, int* count) {
    int i = threadIdx.x;
    // your turn: atomicAdd(address, value) instead of the plain addition
    if (x[i] > 0) count[0] = count[0] + 1;
}

extern "C" void atomic(const float* x, int* count, int n, cudaStream_t stream) {
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    count_positive<<<1, n, 0, stream>>>(x, count);
}
