// Says: uses pair[2], past its end: pair has 2 elements
// Says: does a loop go one too far
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float pair[2] = {x[i], y[i]}, sum = 0;
    for (int k = 0; k <= 2; ++k) sum += pair[k];
    z[i] = sum;
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
