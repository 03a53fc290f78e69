// Puzzle 10 of 16, dot: many products, one sum.
//
// out[0] = x[0] * y[0] + x[1] * y[1] + ... Each thread has put its product into shared memory. Now one
// thread adds them up. It must wait until all of them are there.
//
//   products   p0   p1   p2   p3
//                \   |    |   /
//   thread 0    sum = p0 + p1 + p2 + p3      out[0] = sum
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void dot_product(const float* x, const float* y, float* out, int n) {
    __shared__ float products[64];
    int i = threadIdx.x;
    products[i] = x[i] * y[i];
    float sum = 0;
    // your turn: wait for all products, then let thread 0 add up all n of them, not the first alone
    if (i == 0) sum = products[0];
    if (i == 0) out[0] = sum;
}

extern "C" void dot(const float* x, const float* y, float* out, int n, cudaStream_t stream) {
    dot_product<<<1, n, 0, stream>>>(x, y, out, n);  // n is 64 or less
}
