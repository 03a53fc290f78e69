// Puzzle 14 of 16, wrong_line: find it.
//
// This kernel turns x round: z[0] is the last element of x, z[1] the one before, and so on. It goes by way
// of shared memory. One of its lines is wrong, and not the one that the message names: look at the picture
// for who writes which element of `tile`, and who reads it.
//
//   x        x0   x1   x2   x3
//   tile     x3   x2   x1   x0
//   z        x3   x2   x1   x0
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void turn_round(const float* x, float* z, int n) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    // your turn: one of the lines from here on is wrong
    tile[n - i] = x[i];
    __syncthreads();
    z[i] = tile[i];
}

extern "C" void wrong_line(const float* x, float* z, int n, cudaStream_t stream) {
    turn_round<<<1, n, 0, stream>>>(x, z, n);  // n is less than 64
}
