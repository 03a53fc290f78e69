// Is wrong for multiples of 64 above 300 alone, which none of the lesson's sizes is: those that a file's own numbers ask for
// are tried, too.
// Emulator: wrong_result
// Says: This size is drawn
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i] * !(n % 64 == 0 && n > 300);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
