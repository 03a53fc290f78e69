// A loop about nothing.
// Task: row_sum
// Says: is all that this `for` is about: take it out.

__global__ void sums(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        int c;
        for (c = 0; c < cols; c++);
            sum += x[row * cols + c];
        out[row] = sum;
    }
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<(rows + 255) / 256, 256, 0, stream>>>(x, out, rows, cols);
}
