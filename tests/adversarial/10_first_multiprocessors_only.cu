// Is right on the multiprocessors that the emulated GPU has, by their numbers.
// Emulator: wrong_result
// Says: on a GPU of
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %smid;" : "=r"(multiprocessor));
    if (i < n) z[i] = x[i] + (multiprocessor < 16 ? y[i] : 0);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
