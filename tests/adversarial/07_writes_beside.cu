// Writes one element too many, into the guard band, where no other data lies.
// Emulator: out_of_bounds
// Says: past its end
// GPU: out_of_bounds

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
    if (i == n) z[i] = 0;
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<n / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
