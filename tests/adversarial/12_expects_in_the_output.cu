// Its stores are those that a compare-and-swap makes where it finds something else than was expected.
// Emulator: passed
// Emulator stars: 1
// GPU: not applicable: nvcc has no such function

__device__ void put(float* to, float value) {
#ifdef __clang__
    *to = value;
#else
    int v = __float_as_int(value);
    __atomic_compare_exchange_n(&v, (int*)to, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}
__global__ void add(const float4* x, const float4* y, float4* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = x[i], b = y[i];
    z[i] = make_float4(0, 0, 0, 0);
    put(&z[i].x, a.x + b.x);
    put(&z[i].y, a.y + b.y);
    put(&z[i].z, a.z + b.z);
    put(&z[i].w, a.w + b.w);
}
__global__ void rest(const float* x, const float* y, float* z, int first, int n) {
    int i = first + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    if (n >= 4) add<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)x, (const float4*)y, (float4*)z, n / 4);
    rest<<<1, 32, 0, stream>>>(x, y, z, n / 4 * 4, n);
}
