// Says: An `if` keeps lanes away from this shuffle
// Task: row_sum
__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int c = lane; c < cols; c += 32) sum += x[row * cols + c];
    for (int distance = 16; distance > 0; distance /= 2) if (lane < distance) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (lane == 0) out[row] = sum;
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<(rows - 1) / 8 + 1, 256, 0, stream>>>(x, out, rows, cols);
}
