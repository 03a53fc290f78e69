// Task: sum
// Says: a __syncthreads() is missing between line 12 and line 13
__device__ float sum_of(const float* parts, int count) {
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += parts[k];
    return sum;
}
__global__ void add(const float* x, float* out, int n) {
    __shared__ float parts[128];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 128) sum += x[i];
    parts[threadIdx.x] = sum;
    sum = sum_of(parts, 128);
    if (threadIdx.x == 0) *out = sum;
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) { add<<<1, 128, 0, stream>>>(x, out, n); }
