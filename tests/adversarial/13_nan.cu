// Answers with NaN, to which no difference is larger than the tolerance.
// Emulator: wrong_result
// Says: z[0] is nan, but should be
// GPU: wrong_result

__global__ void answer(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = nanf("");
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    answer<<<(n + 255) / 256, 256, 0, stream>>>(z, n);
}
