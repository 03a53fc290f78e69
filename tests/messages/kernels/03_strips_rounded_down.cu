// A strip too many where the columns are whole strips: with several matrices, the last ones get no block.
// Task: column_sum
// Says: 03_coalescing: output not written
// Says: column_sum(batch=3, rows=5, cols=64) (1 of 19 cases fails)
__global__ void sums(const float* x, float* out, int rows, int cols) {
    int strips = cols / 32 + 1, member = blockIdx.x / strips, col = blockIdx.x % strips * 32 + threadIdx.x;
    if (col >= cols) return;
    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += x[(member * rows + row) * cols + col];
    out[member * cols + col] = sum;
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    sums<<<batch * ((cols + 31) / 32), 32, 0, stream>>>(x, out, rows, cols);
}
