// Says: does not leave the loop in line
// Says: does every round bring the loop nearer to its end?
__global__ void add(const float* x, const float* y, float* z, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i + gridDim.x * blockDim.x) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
