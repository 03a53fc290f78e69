// The sum is not set to 0 for the next row.
// Task: row_sum
// Says: Each element of out holds what the element 32 before holds, too: set the sum to 0 in front of each, within the loop over them.

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
