// Says: What is written is just what `blockIdx.x * blockDim.y + threadIdx.x` reaches
// Task: column_sum
constexpr int TX = 32, TY = 8;
__global__ void colsum(const float* __restrict__ x, float* __restrict__ out, int batch, int rows, int cols) {
    __shared__ float part[TY][TX + 1];
    int col = blockIdx.x * TY + threadIdx.x;
    for (int b = blockIdx.y; b < batch; b += gridDim.y) {
        const float* m = x + (long long)b * rows * cols;
        float s = 0.f;
        if (col < cols)
            for (int r = threadIdx.y; r < rows; r += TY) s += m[(long long)r * cols + col];
        part[threadIdx.y][threadIdx.x] = s;
        __syncthreads();
        for (int h = TY / 2; h > 0; h >>= 1) {
            if (threadIdx.y < h) part[threadIdx.y][threadIdx.x] += part[threadIdx.y + h][threadIdx.x];
            __syncthreads();
        }
        if (threadIdx.y == 0 && col < cols) out[(long long)b * cols + col] = part[0][threadIdx.x];
        __syncthreads();
    }
}
extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    dim3 grid((cols + TX - 1) / TX, batch < 65535 ? batch : 65535), block(TX, TY);
    colsum<<<grid, block, 0, stream>>>(x, out, batch, rows, cols);
}
