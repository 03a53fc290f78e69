// One block is wrong, and no case has so many. It names its number: of a larger case that block runs.
// Emulator: wrong_result
// Says: goes beyond a number that the file names
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + (blockIdx.x == 50000 ? 0 : y[i]);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
