// A variable of 64 GB.
// Emulator: build_error
// Says: allocated with cudaMalloc
// GPU: build_error

__device__ char much[1ull << 36];

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    char* p;
    cudaGetSymbolAddress((void**)&p, much);
    cudaMemsetAsync(p, n, 1, stream);
}
