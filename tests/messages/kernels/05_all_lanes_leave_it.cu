// Each lane leaves the warp's sum in the same place.
// Task: sum
// Says: each element needs one writer, or an atomic
// Says: where no barrier comes between them
// Says: let one thread write

__global__ void add(const float* x, float* out, int n) {
    __shared__ float part[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x / 32] = i < n ? x[i] : 0;
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(out, part[threadIdx.x]);
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n - 1) / 1024 + 1, 256, 0, stream>>>(x, out, n);
}
