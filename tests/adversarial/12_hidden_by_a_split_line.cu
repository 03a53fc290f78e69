// Divides the word that hides code from the emulator between two lines; what is hidden writes past the end.
// Emulator: build_error
// Says: a \ divides a name
// GPU: build_error

#define HIDDEN __attribute__((no_\
sanitize("thread"), no_\
sanitize_coverage))

__global__ HIDDEN void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<n / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
