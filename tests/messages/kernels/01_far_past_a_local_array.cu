// Says: outside its own stack: by an index past the end of a local array
// Says: is each index of one below its length
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float pair[2] = {x[i], y[i]};
    float* p = pair;
    for (int k = 0; k < 4; ++k) p[25 * k + 1] += 0;
    z[i] = pair[0] + pair[1];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
