// Puzzle 16 of 16, measure: count what is done.
//
// Each thread counts the rounds of its own loop: from x[i] on, halve what is even, 3v + 1 what is odd,
// until 1 is reached. The 32 threads of a warp go through it together, so all of them wait for the slowest.
// Measure what that costs: total[0] is the sum of all threads' rounds, most[0] the largest. Both are 0 when
// the kernel begins.
//
//   thread 0   o o o o . . . . .      o  a round
//   thread 1   o o o o o o o o o      .  waits for thread 1
//   thread 2   o . . . . . . . .
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void collatz(const int* x, int* total, int* most) {
    int i = threadIdx.x, rounds = 0;
    for (int v = x[i]; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) ++rounds;
    // your turn: every thread has its part in both; there is an atomicMax, too
    if (i == 0) total[0] = most[0] = rounds;
}

extern "C" void measure(const int* x, int* total, int* most, int n, cudaStream_t stream) {
    cudaMemsetAsync(total, 0, sizeof(int), stream);
    cudaMemsetAsync(most, 0, sizeof(int), stream);
    collatz<<<1, n, 0, stream>>>(x, total, most);
}
