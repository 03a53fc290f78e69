// Half of the threads wait at a barrier that the others never come to.
// Expect: barrier_divergence

__global__ void add(const float* x, float* out, int n) {
    __shared__ float sums[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            __syncthreads();
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(out, sums[0]);
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}

__global__ void count(const unsigned char* x, unsigned int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[x[i]], 1u);
    }
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), stream);
    count<<<(n + 255) / 256, 256, 0, stream>>>(x, counts, n);
}
