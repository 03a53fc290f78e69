// One block of n threads: a block holds at most 1024.
// Expect: launch_error

__global__ void add(const float* x, const float* y, float* z) {
    int i = threadIdx.x;
    z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<1, n, 0, stream>>>(x, y, z);
}
