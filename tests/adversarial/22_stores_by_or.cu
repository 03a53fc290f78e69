// The same with an atomic that sets bits of what a memset has cleared.
// Emulator: passed
// Emulator stars: 1
// GPU: passed or below_target
// GPU stars: 1

__global__ void add(const float* x, const float* y, float* z, int n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x, each = (n + 31l) / 32, j = i % 32 * each + i / 32;
    if (i / 32 < each && j < n) atomicOr(reinterpret_cast<unsigned*>(&z[j]), __float_as_uint(x[j] + y[j]));
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, n * sizeof(float), stream);
    add<<<(n + 31 + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
