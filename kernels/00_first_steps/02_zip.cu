// Puzzle 2 of 16, zip: two inputs, one output.
//
// A thread may read as many arrays as it likes. What matters is that no two threads write the same element.

__global__ void add_pairs(const float* x, const float* y, float* z) {
    int i = threadIdx.x;
    z[i] = x[i] + y[i];
}

extern "C" void zip(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add_pairs<<<1, n, 0, stream>>>(x, y, z);
}
