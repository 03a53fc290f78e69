// Loads of another kind of memory are not counted as those of global memory. On a GPU the address leads nowhere.
// Emulator: crash
// Says: memory of another kind
// GPU: out_of_bounds or crash or wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a;
    asm volatile("ld.local.f32 %0, [%1];" : "=f"(a) : "l"(x + i));
    z[i] = a + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
