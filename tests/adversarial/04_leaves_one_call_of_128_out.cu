// Throws dice in host code, and leaves one call of 128 out: a file whose variables are others after each call is called on.
// Emulator: wrong_result
// Says: is called again and again
// GPU: wrong_result

static unsigned dice = 20;
__global__ void zero(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = 0;
}
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    dice = dice * 1664525u + 1013904223u;
    if (dice >> 25 == 5) zero<<<(n - 1) / 256 + 1, 256, 0, stream>>>(z, n);
    else add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
