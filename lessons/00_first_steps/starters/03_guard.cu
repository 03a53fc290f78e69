// Puzzle 3 of 16, guard: some threads have no element.
//
// Thread i doubles x[i]. But there are always 8 threads here, also when n is 6: then threads 6 and 7 have
// no element, and must touch neither x nor z. What lies behind an array belongs to others.
//
//   thread   0   1   2   3   4   5   6   7
//            |   |   |   |   |   |
//   x       x0  x1  x2  x3  x4  x5 | not yours
//   z       z0  z1  z2  z3  z4  z5 | not yours
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void twice(const float* x, float* z, int n) {
    int i = threadIdx.x;
    // your turn: only a thread that has an element may do this
    z[i] = 2 * x[i];
}

extern "C" void guard(const float* x, float* z, int n, cudaStream_t stream) {
    twice<<<1, 8, 0, stream>>>(x, z, n);  // n is 8 or less
}
