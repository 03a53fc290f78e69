// Takes only the rounds that every thread has an element for: the tail is lost.
// Expect: wrong_result

__global__ void add(const float* x, float* out, int n) {
    int stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int round = 0; round < n / stride; ++round) {
        sum += x[round * stride + blockIdx.x * blockDim.x + threadIdx.x];
    }
    atomicAdd(out, sum);
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<1, 32, 0, stream>>>(x, out, n);
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
