// Eight rows of threads go on by four.
// Task: column_sum
// Says: 8 threads share them, and the loop in which each goes on steps by 4: write `+= blockDim.y`.

__global__ void column_sum_kernel(const float* x, float* out, int rows, int cols) {
    __shared__ float part[8][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    const float* m = x + (size_t)blockIdx.y * rows * cols;
    float s = 0;
    if (col < cols)
        for (int r = threadIdx.y; r < rows; r += 4) s += m[(size_t)r * cols + col];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    for (int h = 4; h > 0; h /= 2) {
        if (threadIdx.y < h) part[threadIdx.y][threadIdx.x] += part[threadIdx.y + h][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y == 0 && col < cols) out[(size_t)blockIdx.y * cols + col] = part[0][threadIdx.x];
}
extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    column_sum_kernel<<<dim3((cols + 31) / 32, batch), dim3(32, 8), 0, stream>>>(x, out, rows, cols);
}
