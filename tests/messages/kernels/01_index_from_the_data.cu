// Says: uses bins[
// Says: bins has 4 elements
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float bins[4] = {};
    bins[(int)(2 * x[i])] += 1;
    z[i] = x[i] + y[i] + 0 * bins[0];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
