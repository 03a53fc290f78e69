// Wrong where a digit of the size is a 7: it is asked for what the file asks of a size, whatever its numbers are.
// Emulator: wrong_result
// Says: This size is drawn for each grade
// GPU: wrong_result

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + (n / 1000 % 10 == 7 ? 0 : y[i]);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
