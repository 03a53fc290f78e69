// The sum is not set to 0 for the next row.
// Task: row_sum
// Says: does a round begin with what the last one left, as a sum that is not set to 0 again?

__global__ void sums(const float* x, float* out, int rows, int cols) {
    float sum = 0;
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        for (int c = 0; c < cols; ++c) sum += x[row * cols + c];
        out[row] = sum;
    }
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<1, 32, 0, stream>>>(x, out, rows, cols);
}
