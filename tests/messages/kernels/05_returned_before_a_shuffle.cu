// Says: which has returned: that value is undefined
// Says: let all lanes of the warp reach the shuffle
// Task: sum
__global__ void add(const float* x, float* out, int n) {

    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i >= n) return;
    float total = x[i];
    for (int s = 16; s > 0; s /= 2) total += __shfl_down_sync(0xffffffff, total, s);
    if (t % 32 == 0) atomicAdd(out, total);
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
