// Blocks of 256, and 512 in the index.
// Says: blocks of 256 threads reach with `blockIdx.x * 512 + threadIdx.x`: the index that reaches all is

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * 512 + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
