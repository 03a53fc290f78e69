// A single block adds everything: right, and without an atomic, but the rest of the GPU has nothing to do.
// Expect: passed, 1 star

__global__ void add(const float* x, float* out, int n) {
    __shared__ float sums[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) {
        sum += x[i];
    }
    sums[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        *out = sums[0];
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    add<<<1, 256, 0, stream>>>(x, out, n);
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
