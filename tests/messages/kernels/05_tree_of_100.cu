// A tree that halves 100 threads.
// Task: sum
// Says: a tree that halves 100 threads leaves one out wherever the number is odd: launch a power of two, 128, or 64

__global__ void add(const float* x, float* out, int n) {
    __shared__ float part[100];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 99) / 100, 100, 0, stream>>>(x, out, n);
}
