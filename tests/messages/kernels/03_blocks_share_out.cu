// Says: No barrier orders two blocks.
// Task: column_sum
__global__ void sum_columns(const float* x, float* out, int batch, int rows, int cols) {
    __shared__ float part[8][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int col = blockIdx.x * 32 + lane, b = blockIdx.y;
    x += b * rows * cols;
    float sum = 0;
    if (col < cols) for (int r = warp; r < rows; r += 8) sum += x[r * cols + col];
    part[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && col < cols) {
        float total = 0;
        for (int w = 0; w < 8; ++w) total += part[w][lane];
        out[col] = total;
    }
}
extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    dim3 blocks((cols - 1) / 32 + 1, batch);
    sum_columns<<<blocks, 256, 0, stream>>>(x, out, batch, rows, cols);
}
