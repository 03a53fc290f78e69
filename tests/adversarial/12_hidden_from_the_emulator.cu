// Asks the compiler to leave out the instrumentation by which the emulator sees what a kernel does.
// Emulator: build_error
// Says: `no_sanitize` would hide code from the emulator
// GPU: passed

__attribute__((no_sanitize("thread"))) __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
