// Copies x to the output on the default stream, for which neither the host nor the given stream waits, and adds y there.
// Emulator: passed
// Emulator stars: 1
// Says: this copy or memset is on the default stream
// GPU: passed or wrong_result
// GPU stars: 1

__global__ void add(const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] += y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaMemcpy(z, x, n * sizeof(float), cudaMemcpyDefault);
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(y, z, n);
}
