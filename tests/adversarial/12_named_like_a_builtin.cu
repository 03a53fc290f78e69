// Structures go through memory to a function with a name of the compiler's, whose calls are taken for the compiler's own.
// Emulator: build_error
// Says: `__builtin_sum_of` is a name of the compiler's own
// GPU: not applicable: what it hides from is not there

struct Twelve { float v[12]; };
extern "C" __device__ __noinline__ Twelve __builtin_sum_of(Twelve a, Twelve b) {
    Twelve c;
    for (int k = 0; k < 12; ++k) c.v[k] = a.v[k] + b.v[k];
    return c;
}
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = 0;
    for (; i + 12 <= n; i += 12)
        *(Twelve*)(z + i) = __builtin_sum_of(*(const Twelve*)(x + i), *(const Twelve*)(y + i));
    for (; i < n; ++i) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<1, 1, 0, stream>>>(x, y, z, n);
}
