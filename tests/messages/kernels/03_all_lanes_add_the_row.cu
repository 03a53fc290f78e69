// Each lane adds the whole row.
// Task: row_sum
// Says: Every element of out is 32 times what it should be: does every thread of the block add what should be added once?

__global__ void sums(const float* x, float* out, int rows, int cols) {
    float sum = 0;
    for (int c = 0; c < cols; ++c) sum += x[blockIdx.x * cols + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<rows, 32, 0, stream>>>(x, out, rows, cols);
}
