// Computes the sum in x and copies it to z: x belongs to the caller.
// Expect: input_modified

__global__ void add(float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += y[i];
        z[i] = x[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(const_cast<float*>(x), y, z, n);
}
