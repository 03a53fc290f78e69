// Is wrong where there are more blocks than any case has. It names the number, and a case beyond that is looked at.
// Emulator: wrong_result
// Says: goes beyond a number that the file names
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + (gridDim.x < 20000 ? y[i] : 0);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
