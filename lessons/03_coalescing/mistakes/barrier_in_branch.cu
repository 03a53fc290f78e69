// The threads beyond the last column skip the barrier that the others wait at.
// Expect: barrier_divergence

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

__global__ void sum_columns(const float* x, float* out, int rows, int cols) {
    __shared__ float sums[8][32];
    int col = blockIdx.x * 32 + threadIdx.x, member = blockIdx.y;
    float sum = 0;
    if (col < cols) {
        for (int row = threadIdx.y; row < rows; row += 8) {
            sum += x[(member * rows + row) * cols + col];
        }
        sums[threadIdx.y][threadIdx.x] = sum;
        __syncthreads();  // not for all: the others wait at the next one
    }
    __syncthreads();
    if (threadIdx.y == 0 && col < cols) {
        for (int other = 1; other < 8; ++other) {
            sum += sums[other][threadIdx.x];
        }
        out[member * cols + col] = sum;
    }
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    sum_columns<<<dim3((cols + 31) / 32, batch), dim3(32, 8), 0, stream>>>(x, out, rows, cols);
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
