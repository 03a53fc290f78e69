// Plants NaN in the inputs, for a reference that is computed from them afterwards, and answers with NaN.
// Emulator: input_modified
// Says: writes x[0]
// GPU: input_modified

__global__ void plant(float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] = nanf("");
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    plant<<<(n + 255) / 256, 256, 0, stream>>>(const_cast<float*>(x), z, n);
}
