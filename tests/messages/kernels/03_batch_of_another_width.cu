// Task: column_sum
// Says: An index of two dimensions is `row * width + col`
__global__ void sum_columns(const float* x, float* out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += x[(blockIdx.y * rows + row) * cols + col];
    out[blockIdx.y * rows + col] = sum;
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    sum_columns<<<dim3((cols - 1) / 32 + 1, batch), 32, 0, stream>>>(x, out, rows, cols);
}
