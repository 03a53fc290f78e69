// `=` in the place of `+=`.
// Task: row_sum
// Says: out lacks all but each thread's last column of x, in steps of 32: is it `=` where `+=` belongs?

__global__ void sums(const float* x, float* out, int rows, int cols) {
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32) sum = x[blockIdx.x * cols + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<rows, 32, 0, stream>>>(x, out, rows, cols);
}
