// Says: the function that ends in line 8 does not return a value on every way
// Task: sum
__device__ float warp_sum(float value) {

    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffff, value, distance);
    }
}

__global__ void add(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = warp_sum(i < n ? x[i] : 0);
    if (threadIdx.x % 32 == 0) atomicAdd(out, total);
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
