// Host code copies y over x, so that the addition becomes a doubling.
// Emulator: input_modified
// Says: x
// GPU: input_modified

__global__ void twice(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = 2 * x[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaMemcpyAsync(const_cast<float*>(x), y, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    twice<<<(n + 255) / 256, 256, 0, stream>>>(x, z, n);
}
