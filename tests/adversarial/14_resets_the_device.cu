// Gives all of the process's memory back, when the sum is done: the grader's arrays, too.
// Emulator: crash
// Says: cudaDeviceReset() gives back all memory
// GPU: crash

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
    cudaStreamSynchronize(stream);
    cudaDeviceReset();
}
