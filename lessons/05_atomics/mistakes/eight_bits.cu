// Counts in 8 bits, four counters to a word: the 256th of a value is carried into the next counter.
// Expect: wrong_result

__global__ void add(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(out, x[i]);
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}

__global__ void count(const unsigned char* x, unsigned int* counts, int n) {
    __shared__ unsigned words[64];
    if (threadIdx.x < 64) {
        words[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&words[x[i] / 4], 1u << (8 * (x[i] % 4)));
    }
    __syncthreads();
    unsigned char* bytes = reinterpret_cast<unsigned char*>(words);
    atomicAdd(&counts[threadIdx.x], bytes[threadIdx.x]);
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), stream);
    count<<<16, 256, 0, stream>>>(x, counts, n);
}
