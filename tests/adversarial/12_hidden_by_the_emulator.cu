// Hides code from the emulator by the name that the emulator's own headers have for that; what is hidden writes past the end.
// Emulator: build_error
// Says: `LADDER_UNSEEN` is a name of the grader's own
// GPU: build_error

__global__ LADDER_UNSEEN void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<n / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
