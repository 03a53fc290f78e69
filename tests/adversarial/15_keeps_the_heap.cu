// Takes a little of the kernels' heap in each call, and never gives it back: a program that calls it often has none left.
// Emulator: leak
// Says: 64 bytes that kernels take from their heap
// GPU: not applicable: its heap holds what some thousand calls lose

__device__ float* kept;

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) kept = new float[16];
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
