// Says: a __syncthreads() is missing, or a __syncwarp() if only lanes of one warp share it, in a loop at the end of each round
// Task: sum
__global__ void add(const float* x, float* out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) mine += x[i];
    s[t] = mine;
    __syncthreads();
    if (t < 32) {
        for (int left = 32; left > 0; left /= 2) s[t] += s[t + left];
        if (t == 0) atomicAdd(out, s[0]);
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n - 1) / 64 + 1, 64, 0, stream>>>(x, out, n);
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {}
