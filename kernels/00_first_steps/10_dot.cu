// Puzzle 10 of 16, dot: many products, one sum.
//
// One thread adds while the others idle. Lesson 05 lets them all take part.

__global__ void dot_product(const float* x, const float* y, float* out, int n) {
    __shared__ float products[64];
    int i = threadIdx.x;
    products[i] = x[i] * y[i];
    float sum = 0;
    __syncthreads();
    if (i == 0)
        for (int k = 0; k < n; ++k) sum += products[k];
    if (i == 0) out[0] = sum;
}

extern "C" void dot(const float* x, const float* y, float* out, int n, cudaStream_t stream) {
    dot_product<<<1, n, 0, stream>>>(x, y, out, n);  // n is 64 or less
}
