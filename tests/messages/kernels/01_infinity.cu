// Says: 'inf' was not declared in this scope; did you mean 'INFINITY'?
// GPU: build_error
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = -inf;
    if (i < n) z[i] = fmaxf(most, x[i] + y[i]);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
