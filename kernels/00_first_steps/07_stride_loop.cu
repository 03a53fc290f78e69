// Puzzle 7 of 16, stride_loop: fewer threads than elements.
//
// In each round the threads stand side by side, and the next round begins where this one ends. With many
// blocks the step is gridDim.x * blockDim.x: a grid-stride loop.

__global__ void plus_one(const float* x, float* z, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        z[i] = x[i] + 1;
}

extern "C" void stride_loop(const float* x, float* z, int n, cudaStream_t stream) {
    plus_one<<<1, 4, 0, stream>>>(x, z, n);
}
