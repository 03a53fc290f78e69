// A row of 129 floats: the second begins at no multiple of 16 bytes.
// Says: an access of 16 bytes needs an address that is a multiple of 16
// Says: pad them by whole vectors, a float4 of 4 floats

__global__ void product(float* c, int m, int n) {
    __shared__ __align__(16) float shared[8][128 + 1];
    int t = threadIdx.x;
    shared[t / 32][t % 32 * 4] = 0;
    *reinterpret_cast<float4*>(&shared[t / 32][t % 32 * 4]) = float4{};
    if (t < m * n) c[t] = shared[t / 32][t % 32 * 4];
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    product<<<1, 256, 0, stream>>>(c, m, n);
}
