// Works the index of what it loads out as a float: beyond 16,777,216 elements, which only the timed case has, neighbours load
// the same ones.
// Emulator: wrong_result
// Says: This case is timed
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = (float)i;
    if (i < n) z[i] = x[j] + y[j];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
