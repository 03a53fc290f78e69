// Puzzle 6 of 16, blocks: more than one block.
//
// This line stands at the beginning of most kernels that were ever written.

__global__ void minus_one(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] - 1;
}

extern "C" void blocks(const float* x, float* z, int n, cudaStream_t stream) {
    minus_one<<<(n + 3) / 4, 4, 0, stream>>>(x, z, n);  // as many blocks of 4 as n elements need
}
