// Half of the warp is left out.
// Task: row_sum
// Says: out lacks columns 16 to 31 of each 32 of x: does the sum over lanes begin with a distance of 16, and not of 8, or does a loop go on by 32 where 16 threads share the columns, or where it takes 16 each time?

__global__ void sums(const float* x, float* out, int rows, int cols) {
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32) sum += x[blockIdx.x * cols + c];
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<rows, 32, 0, stream>>>(x, out, rows, cols);
}
