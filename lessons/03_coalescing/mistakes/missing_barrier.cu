// Reads the tile before all threads have written their part of it.
// Expect: race

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
    __shared__ float tile[32][33];
    int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (top + k < rows && left + threadIdx.x < cols) {
            tile[k][threadIdx.x] = x[(top + k) * cols + left + threadIdx.x];
        }
    }
    // __syncthreads() is missing here
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (left + k < cols && top + threadIdx.x < rows) {
            out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    turn<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8), 0, stream>>>(x, out, rows, cols);
}
