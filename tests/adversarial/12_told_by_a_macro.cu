// Is right where g++ has the macro of what the emulator is instrumented with. No file gets to see it.
// Emulator: wrong_result
// Says: but should be
// GPU: wrong_result

#ifdef __SANITIZE_THREAD__
#define PLUS +
#else
#define PLUS -
#endif
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] PLUS y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
