// Sixteen blocks add to out with atomics, but nobody has set it to zero.
// Expect: uninitialized_read

__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int col = 0; col < cols; ++col) {
            sum += x[row * cols + col];
        }
        out[row] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<(rows + 255) / 256, 256, 0, stream>>>(x, out, rows, cols);
}

__global__ void sum_columns(const float* x, float* out, int batch, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < batch * cols) {
        float sum = 0;
        for (int row = blockIdx.y; row < rows; row += gridDim.y) {
            sum += x[(i / cols * rows + row) * cols + i % cols];
        }
        atomicAdd(&out[i], sum);
    }
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    sum_columns<<<dim3((batch * cols + 255) / 256, 16), 256, 0, stream>>>(x, out, batch, rows, cols);
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
