// Adds what is left of the inputs when, as in TF32, only ten bits of the fraction are kept.
// Emulator: wrong_result
// Says: close, but not close enough
// GPU: wrong_result

__device__ float shortened(float x) { return __int_as_float(__float_as_int(x) & ~0x1fff); }

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = shortened(x[i]) + shortened(y[i]);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
