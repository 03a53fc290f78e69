// Reads columns of an unpadded tile: right and coalesced, but 32 words of one bank take 32 turns.
// Expect: passed, 2 stars

__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row < rows) {
        float sum = 0;
        for (int col = threadIdx.x; col < cols; col += 32) {
            sum += x[row * cols + col];
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

__global__ void sum_columns(const float* x, float* out, int rows, int cols) {
    __shared__ float sums[8][32];
    int col = blockIdx.x * 32 + threadIdx.x, member = blockIdx.y;
    float sum = 0;
    for (int row = threadIdx.y; row < rows && col < cols; row += 8) {
        sum += x[(member * rows + row) * cols + col];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
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
    __shared__ float tile[32][32];
    int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (top + k < rows && left + threadIdx.x < cols) {
            tile[k][threadIdx.x] = x[(top + k) * cols + left + threadIdx.x];
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (left + k < cols && top + threadIdx.x < rows) {
            out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    turn<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8), 0, stream>>>(x, out, rows, cols);
}
