// Says: the source of this copy is no device memory, but its kind says that it is: is the direction right?
// Says: the kind names both sides
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    float first = 0;
    cudaMemcpy(z, &first, sizeof(float), cudaMemcpyDeviceToDevice);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
