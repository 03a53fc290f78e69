// Puzzle 14 of 16, wrong_line: find it.
//
// The last index is n - 1. The reader was blamed, the writer was wrong: tile[0] was read and never written.

__global__ void turn_round(const float* x, float* z, int n) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    tile[n - 1 - i] = x[i];
    __syncthreads();
    z[i] = tile[i];
}

extern "C" void wrong_line(const float* x, float* z, int n, cudaStream_t stream) {
    turn_round<<<1, n, 0, stream>>>(x, z, n);  // n is less than 64
}
