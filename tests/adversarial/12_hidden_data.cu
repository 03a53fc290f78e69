// Puts its data where the emulator keeps constants, whose loads are no traffic.
// Emulator: build_error
// Says: `section` would hide code from the emulator
// GPU: not applicable: the section means nothing there

__device__ __attribute__((section("ladder_constant.x"))) float a[200000], b[200000];

__global__ void add(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a[i] + b[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(a, x, n * sizeof(float), 0, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyToSymbolAsync(b, y, n * sizeof(float), 0, cudaMemcpyDeviceToDevice, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(z, n);
}
