// Puzzle 9 of 16, stencil: neighbours, and none at the ends.
//
// Two conditions, one for each end: with n = 1 both ends are the same element.

__global__ void sum_of_three(const float* x, float* z, int n) {
    int i = threadIdx.x;
    float sum = x[i];
    if (i > 0) sum += x[i - 1];
    if (i < n - 1) sum += x[i + 1];
    z[i] = sum;
}

extern "C" void stencil(const float* x, float* z, int n, cudaStream_t stream) {
    sum_of_three<<<1, n, 0, stream>>>(x, z, n);
}
