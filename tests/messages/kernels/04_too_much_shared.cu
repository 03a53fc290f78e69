// More __shared__ arrays than a block may have.
// GPU: build_error, for ptxas counts them, too
// Says: at most 49152 are allowed
// Says: An `extern __shared__` array, whose bytes the launch says, may have more

__global__ void product(float* c, int m, int n) {
    __shared__ __align__(16) float shared[128][128];
    int t = threadIdx.x;
    shared[t / 32][t % 32 * 4] = 0;
    *reinterpret_cast<float4*>(&shared[t / 32][t % 32 * 4]) = float4{};
    if (t < m * n) c[t] = shared[t / 32][t % 32 * 4];
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    product<<<1, 256, 0, stream>>>(c, m, n);
}
