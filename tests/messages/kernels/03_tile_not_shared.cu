// Says: is `__shared__` missing before tile?
// Task: row_sum
__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    float tile[32][33];
    int lane = threadIdx.x, first = blockIdx.x * 32;
    float sum = 0;
    for (int c = 0; c < cols; c += 32) {
        for (int r = 0; r < 32; ++r) {
            bool inside = first + r < rows && c + lane < cols;
            tile[r][lane] = inside ? x[(first + r) * cols + c + lane] : 0.0f;
        }
        __syncwarp();
        for (int k = 0; k < 32; ++k) sum += tile[lane][k];
        __syncwarp();
    }
    if (first + lane < rows) out[first + lane] = sum;
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<(rows - 1) / 32 + 1, 32, 0, stream>>>(x, out, rows, cols);
}
