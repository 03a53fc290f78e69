// Loads by a function that a compiler calls for exceptions, and that kernels may therefore have.
// Emulator: build_error
// Says: `_Unwind_GetCFA` is a name of the compiler's own
// GPU: build_error

extern "C" unsigned long _Unwind_GetCFA(void*) noexcept;
__device__ float get(const float* p) { return __uint_as_float(static_cast<unsigned>(_Unwind_GetCFA((char*)p - 144))); }
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = get(x + i) + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
