// Puzzle 15 of 16, whole_program: the host's part.
//
// The kernel is there and is right. Launch it: choose how many threads a block has, work out how many
// blocks n elements need (rounded up, for n is any number), and write the launch, on the stream that you
// are given.
//
//   kernel<<<blocks, threads, 0, stream>>>(arguments);
//
//   n = 10, blocks of 4:    | 0 1 2 3 | 4 5 6 7 | 8 9 . . |      3 blocks
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void square(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] * x[i];
}

extern "C" void whole_program(const float* x, float* z, int n, cudaStream_t stream) {
    // your turn: choose, and launch `square`
}
