// Shuffles with a mask of all lanes where only those with an element take part.
// Expect: uninitialized_read

__global__ void add(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = x[i];
        for (int distance = 16; distance > 0; distance /= 2) {
            value += __shfl_down_sync(0xffffffff, value, distance);
        }
        if (threadIdx.x % 32 == 0) {
            atomicAdd(out, value);
        }
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
