// Puzzle 16 of 16, measure: count what is done.
//
// The warp takes most[0] rounds of 32 lanes, and total[0] of these did work. Lesson 02 is about the rest.

__global__ void collatz(const int* x, int* total, int* most) {
    int i = threadIdx.x, rounds = 0;
    for (int v = x[i]; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) ++rounds;
    atomicAdd(total, rounds);
    atomicMax(most, rounds);
}

extern "C" void measure(const int* x, int* total, int* most, int n, cudaStream_t stream) {
    cudaMemsetAsync(total, 0, sizeof(int), stream);
    cudaMemsetAsync(most, 0, sizeof(int), stream);
    collatz<<<1, n, 0, stream>>>(x, total, most);
}
