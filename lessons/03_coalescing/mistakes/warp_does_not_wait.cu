// A warp fills its tile and adds it up without __syncwarp(): that its lanes march in step is not promised.
// Expect: race

__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    __shared__ float tile[32][33];
    int lane = threadIdx.x, first = blockIdx.x * 32;
    float sum = 0;
    for (int left = 0; left < cols; left += 32) {
        for (int k = 0; k < 32; ++k) {
            bool inside = first + k < rows && left + lane < cols;
            tile[k][lane] = inside ? x[(first + k) * cols + left + lane] : 0;
        }
        // __syncwarp() is missing here
        for (int k = 0; k < 32; ++k) {
            sum += tile[lane][k];
        }
        // and here
    }
    if (first + lane < rows) {
        out[first + lane] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<(rows + 31) / 32, 32, 0, stream>>>(x, out, rows, cols);
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
