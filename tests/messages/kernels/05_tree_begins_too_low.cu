// The tree begins at a quarter.
// Task: sum
// Says: out lacks elements 128 to 255 of each 256 of x: does the sum over threads begin with a distance of 128, and not of 64

__global__ void add(const float* x, float* out, int n) {
    __shared__ float p[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 4; s > 0; s /= 2) {
        if (threadIdx.x < s) p[threadIdx.x] += p[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, p[0]);
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
