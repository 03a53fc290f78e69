// Says: out[0] is 256 times what it should be: does every thread of the block add what should be added once?
// Task: sum
__global__ void add(const float* x, float* out, int n) {
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) tile[t] += tile[t + s];
        __syncthreads();
    }
    atomicAdd(out, tile[0]);
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
