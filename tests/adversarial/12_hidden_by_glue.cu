// Glues the attribute that hides code from the emulator together, so that the word stands nowhere; what is hidden writes
// past the end.
// Emulator: build_error
// Says: `no_sanitize` would hide code from the emulator
// GPU: out_of_bounds

#define GLUE(a, b) a##b
#define HIDDEN __attribute__((GLUE(no_, sanitize)("thread"), GLUE(no_, sanitize_coverage)))

__global__ HIDDEN void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<n / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
