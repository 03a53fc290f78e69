// Puzzle 12 of 16, vector_load: sixteen bytes at once: float4.
//
// Thread i doubles the four elements 4i, 4i + 1, 4i + 2, 4i + 3; n is a multiple of 4. The starter is
// right, and asks for memory four times. A float4 is four floats, .x .y .z .w, which travel in one load.
// Seen as an array of float4, element i of x is reinterpret_cast<const float4*>(x)[i].
//
//   thread            0               1
//   x          x0  x1  x2  x3 | x4  x5  x6  x7
//              .x  .y  .z  .w   .x  .y  .z  .w
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void twice_four(const float* x, float* z) {
    int i = threadIdx.x;
    // your turn: one load, one store, and no loop; make_float4(a, b, c, d) makes a float4
    for (int k = 0; k < 4; ++k) z[4 * i + k] = 2 * x[4 * i + k];
}

extern "C" void vector_load(const float* x, float* z, int n, cudaStream_t stream) {
    twice_four<<<1, n / 4, 0, stream>>>(x, z);
}
