// Says: this is a whole row of an array: an element of it is `a[y][x]`
// Says: of `a, b` only b counts: [y][x] for an element
// GPU: build_error
// Task: transpose
__global__ void turn(const float* x, float* out, int rows, int cols) {
    __shared__ float tile[32][33];
    int across = (cols + 31) / 32;
    int left = blockIdx.x % across * 32, top = blockIdx.x / across * 32;
    int row = top + threadIdx.y, col = left + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = x[row * cols + col];
    __syncthreads();
    row = top + threadIdx.x, col = left + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x, threadIdx.y];
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    turn<<<(rows + 31) / 32 * ((cols + 31) / 32), dim3(32, 32), 0, stream>>>(x, out, rows, cols);
}
