// Adds to whatever the outputs held before.
// Expect: uninitialized_read

__global__ void add(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(out, x[i]);
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}

__global__ void count(const unsigned char* x, unsigned int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[x[i]], 1u);
    }
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    count<<<(n + 255) / 256, 256, 0, stream>>>(x, counts, n);
}
