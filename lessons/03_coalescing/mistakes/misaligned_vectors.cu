// Reads rows as float4, although a row of 33 floats does not end where the next float4 begins.
// Expect: misaligned

__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        int col = 0;
        for (; col + 4 <= cols; col += 4) {
            float4 four = *reinterpret_cast<const float4*>(x + row * cols + col);
            sum += four.x + four.y + four.z + four.w;
        }
        for (; col < cols; ++col) {
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
