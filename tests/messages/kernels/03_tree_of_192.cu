// A tree that halves 192 threads.
// Task: row_sum
// Says: a tree that halves 192 threads leaves one out wherever the number is odd: launch a power of two, 256, or 128

__global__ void sums(const float* x, float* out, int rows, int cols) {
    __shared__ float part[192];
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += x[blockIdx.x * cols + c];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<rows, 192, 0, stream>>>(x, out, rows, cols);
}
