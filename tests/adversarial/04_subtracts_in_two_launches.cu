// Works something else out at the timed size, in two launches. Neither loads a result, so what one stores stays.
// Emulator: wrong_result
// Says: This case is timed
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n, float sign) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + sign * y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    const int parts = n > 200000000 ? 2 : 1, part = n / parts;
    for (int k = 0; k < parts; ++k) {
        const int begin = k * part, length = k == parts - 1 ? n - begin : part;
        add<<<(length - 1) / 256 + 1, 256, 0, stream>>>(x + begin, y + begin, z + begin, length, parts == 1 ? 1 : -1);
    }
}
