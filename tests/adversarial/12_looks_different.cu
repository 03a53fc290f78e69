// An invisible character turns the order of what follows around on the screen, so that a comment looks like code.
// Emulator: build_error
// Says: an invisible character
// GPU: build_error

/* ‮ the guard: */ // if (i >= n) return;

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
