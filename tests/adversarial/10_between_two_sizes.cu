// Is wrong between two sizes that no case lies between, and works them out of small numbers.
// Emulator: wrong_result
// Says: goes beyond a number that the file names
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + (n / 1000 > 300 && n / 1000 < 700 ? 0 : y[i]);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
