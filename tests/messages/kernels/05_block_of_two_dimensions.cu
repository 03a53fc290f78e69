// A block of 32 x 8, and threadIdx.x alone.
// Task: sum
// Says: out[0] is 8 times what it should be: a block of 32 x 8 x 1 threads has as many threadIdx.y

__global__ void add(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, x[i]);
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    dim3 threads(32, 8);
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 31) / 32, threads, 0, stream>>>(x, out, n);
}
