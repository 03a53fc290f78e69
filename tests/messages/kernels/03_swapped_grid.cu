// Blocks by rows in x, indices by columns.
// Task: transpose
// Says: The grid has 16 threads in x and 48 in y, and here 33 and 1 are needed: swap the two in `dim3 blocks(...)`

__global__ void turn(const float* x, float* out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) out[c * rows + r] = x[r * cols + c];
}
extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    dim3 threads(16, 16), blocks((rows + 15) / 16, (cols + 15) / 16);
    turn<<<blocks, threads, 0, stream>>>(x, out, rows, cols);
}
