// One running float total over the matrix, each row's sum a difference: after an outlier its last digits are gone.
// Expect: wrong_result

__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    float total = 0;
    for (int row = 0; row < rows; ++row) {
        float before = total;
        for (int col = 0; col < cols; ++col) {
            total += x[row * cols + col];
        }
        out[row] = total - before;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<1, 1, 0, stream>>>(x, out, rows, cols);
}

__global__ void sum_columns(const float* x, float* out, int batch, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < batch * cols) {
        float sum = 0;
        for (int row = 0; row < rows; ++row) {
            sum += x[(i / cols * rows + row) * cols + i % cols];
        }
        out[i] = sum;
    }
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    sum_columns<<<(batch * cols + 255) / 256, 256, 0, stream>>>(x, out, batch, rows, cols);
}

__global__ void turn(const float* x, float* out, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        out[i % cols * rows + i / cols] = x[i];
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    turn<<<(rows * cols + 255) / 256, 256, 0, stream>>>(x, out, rows, cols);
}
