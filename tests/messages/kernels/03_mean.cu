// The mean in the place of the sum.
// Task: row_sum
// Says: Every element of out is 1/33 of what it should be, and cols is 33.

__global__ void sums(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int c = 0; c < cols; ++c) sum += x[row * cols + c];
        out[row] = sum / cols;
    }
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<(rows + 255) / 256, 256, 0, stream>>>(x, out, rows, cols);
}
