// Says: missing from an index, or is it an `unsigned char`, which ends at 255?
// Says: `i` in line 5 is an `unsigned char`, which holds 0 to 255 only and then begins again: let it be an `int`.
// An index that begins again at 256.
__global__ void add(const float* x, const float* y, float* z, int n) {
    unsigned char i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
