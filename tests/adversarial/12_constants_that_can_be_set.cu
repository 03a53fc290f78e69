// Keeps its input in a constant array that lies among the variables, for no read of a constant is announced.
// Emulator: build_error
// Says: the attribute `section` would hide code from the emulator
// GPU: not applicable: the section means nothing there

extern __device__ __attribute__((section(".bss"), weak)) const float kept[1 << 18] = {};
__global__ void add(const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = kept[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(kept, x, n * sizeof(float), 0, cudaMemcpyDeviceToDevice, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(y, z, n);
}
