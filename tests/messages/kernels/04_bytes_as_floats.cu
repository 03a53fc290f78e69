// The launch's third number counts bytes, not floats.
// Says: past its end: part has 256 elements of 4 bytes
// Says: in bytes: is it `n * sizeof(float)` for n floats, and is no index too large?

__global__ void product(float* c, int m, int n) {
    extern __shared__ float part[];
    part[threadIdx.x] = 0;
    if (threadIdx.x < m * n) c[threadIdx.x] = part[threadIdx.x];
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    product<<<1, 1024, 1024, stream>>>(c, m, n);
}
