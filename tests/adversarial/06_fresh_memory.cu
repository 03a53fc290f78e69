// Copies out what it finds in fresh memory, where somebody's answer may lie.
// Emulator: uninitialized_read
// Says: before anything was written there
// GPU: wrong_result

__global__ void copy(const float* from, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = from[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    float* found;
    cudaMalloc(&found, n * sizeof(float));
    copy<<<(n + 255) / 256, 256, 0, stream>>>(found, z, n);
    cudaFree(found);
}
