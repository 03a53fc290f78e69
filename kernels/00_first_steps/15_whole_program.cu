// Puzzle 15 of 16, whole_program: the host's part.
//
// A multiple of 32 threads, because warps are of 32; 128 or 256 is a good first choice.

__global__ void square(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] * x[i];
}

extern "C" void whole_program(const float* x, float* z, int n, cudaStream_t stream) {
    int threads = 256;
    int blocks = (n - 1) / threads + 1;
    square<<<blocks, threads, 0, stream>>>(x, z, n);
}
