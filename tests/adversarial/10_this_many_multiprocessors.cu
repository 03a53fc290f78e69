// Is right on a GPU of 16 multiprocessors, as the emulator's: that many blocks work, whatever number there are.
// Emulator: wrong_result or not_written
// Says: on a GPU of 20 multiprocessors
// GPU: not_written

__global__ void add(const float* x, const float* y, float* z, int n) {
    int share = (n + gridDim.x - 1) / gridDim.x, end = min(n, int(blockIdx.x + 1) * share);
    if (blockIdx.x >= 16) return;
    for (int i = blockIdx.x * share + threadIdx.x; i < end; i += blockDim.x) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int count;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    add<<<count, 256, 0, stream>>>(x, y, z, n);
}
