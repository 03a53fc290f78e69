// Puzzle 7 of 16, stride_loop: fewer threads than elements.
//
// There are 4 threads, whatever n is. Thread i takes the elements i, i + 4, i + 8, ... as long as there are
// any, and adds 1 to each of them.
//
//   element   0   1   2   3   4   5   6   7   8   9
//   thread    0   1   2   3   0   1   2   3   0   1
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void plus_one(const float* x, float* z, int n) {
    int i = threadIdx.x;
    // your turn: a loop instead of the `if`; blockDim.x is the number of threads
    if (i < n)
        z[i] = x[i] + 1;
}

extern "C" void stride_loop(const float* x, float* z, int n, cudaStream_t stream) {
    plus_one<<<1, 4, 0, stream>>>(x, z, n);
}
