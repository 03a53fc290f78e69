// Task: sum
// Says: the __syncwarp() of line 9 waits for lanes of one warp, and these two threads are of different ones: write __syncthreads() there
__global__ void add(const float* x, float* out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    float v = 0;
    for (int i = t; i < n; i += 64) v += x[i];
    s[t] = v;
    if (t % 32 < 16) __syncwarp(0xffff);
    if (t < 32) {
        v = s[t] + s[t + 32];
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0) *out = v;
    }
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) { add<<<1, 64, 0, stream>>>(x, out, n); }
