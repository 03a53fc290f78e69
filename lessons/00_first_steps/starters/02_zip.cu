// Puzzle 2 of 16, zip: two inputs, one output.
//
// Thread i reads x[i] and y[i], and writes their sum to z[i].
//
//   thread   0    1    2    3
//   x        1    2    3    4
//   y        5    6    7    8
//            |    |    |    |
//   z        6    8   10   12
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void add_pairs(const float* x, const float* y, float* z) {
    int i = threadIdx.x;
    // your turn: add y[i], too
    z[i] = x[i];
}

extern "C" void zip(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add_pairs<<<1, n, 0, stream>>>(x, y, z);
}
