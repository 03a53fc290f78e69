// Answers with ones which a generous tolerance would accept.
// Emulator: wrong_result
// Says: is 1, but should be
// GPU: wrong_result

__global__ void answer(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = 1;
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    answer<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
