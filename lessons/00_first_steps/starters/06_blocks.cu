// Puzzle 6 of 16, blocks: more than one block.
//
// A block has at most 1024 threads; for more elements there are more blocks. Here a block has 4 threads,
// and threadIdx.x counts from 0 to 3 in each of them. Each thread takes one element, counted through all
// blocks, and subtracts 1 from it.
//
//   block           0           |      1
//   thread      0   1   2   3   |  0   1   2   3
//   element     0   1   2   3   |  4   5   6   7
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void minus_one(const float* x, float* z, int n) {
    // your turn: before this block come blockIdx.x whole blocks, each of blockDim.x threads
    int i = threadIdx.x;
    if (i < n) z[i] = x[i] - 1;
}

extern "C" void blocks(const float* x, float* z, int n, cudaStream_t stream) {
    minus_one<<<(n + 3) / 4, 4, 0, stream>>>(x, z, n);  // as many blocks of 4 as n elements need
}
