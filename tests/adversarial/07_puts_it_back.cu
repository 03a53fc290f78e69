// Uses x as scratch memory and puts back what was there. The emulator sees the store; on a GPU nothing is wrong in the end.
// Emulator: input_modified
// Says: writes x[0]
// GPU: input_modified

__global__ void add(float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float before = x[i];
        x[i] = before + y[i];
        z[i] = x[i];
        x[i] = before;
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(const_cast<float*>(x), y, z, n);
}
