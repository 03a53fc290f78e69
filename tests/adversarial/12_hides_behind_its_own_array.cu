// Reads its inputs as elements of an array of its own, which is in registers, where the case is large enough to count.
// Emulator: out_of_bounds
// Says: own has 4 elements
// GPU: not applicable: what it hides from is not there

__global__ void add(const float* x, const float* y, float* z, int n) {
    float own[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; ++k) own[k] = i * k;
    if (i >= n) return;
    if (n < 20000) z[i] = x[i] + y[i];
    else z[i] = own[x - own + i] + own[y - own + i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
