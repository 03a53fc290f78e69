// Writes the very pattern that marks an element as unwritten.
// Emulator: not_written
// Says: was never written
// GPU: not_written

__global__ void answer(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ((unsigned*)z)[i] = 0x7fa5a5a5;
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    answer<<<(n + 255) / 256, 256, 0, stream>>>(z, n);
}
