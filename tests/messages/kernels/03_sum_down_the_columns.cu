// Reads down the columns.
// Task: row_sum
// Says: What out holds is right for x read down its columns, at col * 31 + row

__global__ void sums(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int c = 0; c < cols; ++c) sum += x[c * rows + row];
        out[row] = sum;
    }
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<(rows + 255) / 256, 256, 0, stream>>>(x, out, rows, cols);
}
