// Right as long as a block goes round once: no checked case has more work than so many blocks do in one round.
// Emulator: wrong_result
// Says: a few blocks run
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    float first = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        z[i] = first ? first : x[i] + y[i];
        first = z[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<min((n + 255) / 256, 2112), 256, 0, stream>>>(x, y, z, n);
}
