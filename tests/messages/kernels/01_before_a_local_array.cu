// Says: uses sums[-1], before its start: sums has 2 elements
// Says: An index below 0: was something subtracted too far
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sums[2] = {x[i], y[i]};
    for (int k = 0; k < 2; ++k) sums[k] += sums[k - 1];
    z[i] = sums[1];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
