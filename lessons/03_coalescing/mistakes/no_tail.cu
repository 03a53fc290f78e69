// Steps of 32 columns while a whole step fits: the columns behind the last multiple of 32 are left out.
// Expect: wrong_result

__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row < rows) {
        float sum = 0;
        for (int left = 0; left + 32 <= cols; left += 32) {
            sum += x[row * cols + left + threadIdx.x];
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        }
        if (threadIdx.x == 0) {
            out[row] = sum;
        }
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<(rows + 7) / 8, dim3(32, 8), 0, stream>>>(x, out, rows, cols);
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
