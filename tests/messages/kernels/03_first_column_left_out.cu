// The loop begins at 1.
// Task: row_sum
// Says: out lacks the first column of x: does a loop begin at 1, where 0 belongs?

__global__ void sums(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int c = 1; c < cols; ++c) sum += x[row * cols + c];
        out[row] = sum;
    }
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<(rows + 255) / 256, 256, 0, stream>>>(x, out, rows, cols);
}
