// Two lanes store a pair, and take it from lane % 16.
// Says: so shuffle from lane `lane / 2`, and from 16 more in the second half.

__global__ void polar_kernel(const float* phi, float* xy, int n) {
    int lane = threadIdx.x & 31;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int i = warp * 32 + lane;
    float angle = i < n ? phi[i] : 0.f;
    float s = sinf(angle), c = cosf(angle);
    for (int half = 0; half < 2; half++) {
        int from = half * 16 + lane % 16;
        float cc = __shfl_sync(0xffffffff, c, from);
        float ss = __shfl_sync(0xffffffff, s, from);
        int o = warp * 64 + half * 32 + lane;
        if (o < 2 * n) xy[o] = (lane % 2) ? ss : cc;
    }
}
extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    polar_kernel<<<(n + 127) / 128, 128, 0, stream>>>(phi, xy, n);
}
