// What an event measures is added: another number in each run, and no variable that was never set.
// Says: 01_vector_add: wrong result
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
__global__ void more(float* z, int n, float ms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] += ms;
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    float ms;
    cudaEventElapsedTime(&ms, start, stop);
    more<<<(n + 255) / 256, 256, 0, stream>>>(z, n, ms);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
}
