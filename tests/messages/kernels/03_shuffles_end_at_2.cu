// The last shuffle is missing.
// Task: row_sum
// Says: out lacks every second column of x: do the shuffles, or the tree, go down to a distance of 1, or does a loop go on by 2 where it takes one?

__global__ void sums(const float* x, float* out, int rows, int cols) {
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32) sum += x[blockIdx.x * cols + c];
    for (int d = 16; d > 1; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<rows, 32, 0, stream>>>(x, out, rows, cols);
}
