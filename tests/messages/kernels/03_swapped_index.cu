// Says: or the two in the index, `row * cols + c`
// Task: row_sum
__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (row < rows) {
        for (int c = 0; c < cols; ++c) sum += x[c * cols + row];
        out[row] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<(rows - 1) / 256 + 1, 256, 0, stream>>>(x, out, rows, cols);
}
