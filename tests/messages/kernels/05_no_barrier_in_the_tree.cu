// Says: if one only reads it, a __syncthreads() is missing, in a loop at the end of each round
// Task: sum
__global__ void add(const float* x, float* out, int n) {
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) tile[t] += tile[t + s];
    }
    if (t == 0) atomicAdd(out, tile[0]);
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
