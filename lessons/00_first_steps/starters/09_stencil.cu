// Puzzle 9 of 16, stencil: neighbours, and none at the ends.
//
// z[i] is the sum of x[i] and of its neighbours on the left and on the right. The first element has no left
// neighbour, the last one has no right one: what is not there must not be read.
//
//   x          x0   x1   x2   x3
//                \  |  /
//   z          z0   z1   z2   z3        z1 = x0 + x1 + x2
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void sum_of_three(const float* x, float* z, int n) {
    int i = threadIdx.x;
    float sum = x[i];
    // your turn: add the left and the right neighbour, where there is one
    z[i] = sum;
}

extern "C" void stencil(const float* x, float* z, int n, cudaStream_t stream) {
    sum_of_three<<<1, n, 0, stream>>>(x, z, n);
}
