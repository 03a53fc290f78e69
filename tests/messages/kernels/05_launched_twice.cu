// The kernel is launched twice.
// Task: sum
// Says: out[0] is 2 times what it should be: is add launched 2 times, and does each launch add all?

__global__ void add(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, x[i]);
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
