// Each thread loads one element of its tile four times.
// Task: transpose
// Says: is right for the first 8 of each 32 rows of x again in the place of those behind them

#define TILE 32
#define ROWS 8
__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    for (int by = blockIdx.y; by * TILE < rows; by += gridDim.y) {
        int x = blockIdx.x * TILE + threadIdx.x;
        int y = by * TILE + threadIdx.y;
        for (int j = 0; j < TILE; j += ROWS)
            if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)y * cols + x];
        __syncthreads();
        int tx = by * TILE + threadIdx.x;
        int ty = blockIdx.x * TILE + threadIdx.y;
        for (int j = 0; j < TILE; j += ROWS)
            if (tx < rows && ty + j < cols) out[(size_t)(ty + j) * rows + tx] = tile[threadIdx.x][threadIdx.y + j];
        __syncthreads();
    }
}
extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    dim3 block(TILE, ROWS);
    int down = (rows + TILE - 1) / TILE;
    dim3 grid((cols + TILE - 1) / TILE, down < 1024 ? down : 1024);
    transpose_kernel<<<grid, block, 0, stream>>>(x, out, rows, cols);
}
