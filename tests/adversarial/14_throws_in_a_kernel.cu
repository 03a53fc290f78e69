// Lets an exception leave a kernel.
// Emulator: build_error
// Says: a kernel cannot throw
// GPU: build_error

__global__ void fail(int n) {
    if (n > 0) throw n;
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    fail<<<1, 32, 0, stream>>>(n);
}
