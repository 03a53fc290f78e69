// Is right where a stream is done at once, as on an emulator: on a GPU it still works when host code asks.
// Emulator: wrong_result
// Says: is called a second time
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
    if (cudaStreamQuery(stream) == cudaErrorNotReady) add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, x, z, n);
}
