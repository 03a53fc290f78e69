// Every thread writes far beyond the output, where there is no memory.
// Emulator: out_of_bounds
// Says: which is no device memory
// GPU: out_of_bounds

__global__ void wild(float* z, int n) { z[(1ll << 40) + n + threadIdx.x] = 1; }

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    wild<<<1, 32, 0, stream>>>(z, n);
}
