// Adds to sums in scratch memory that nobody has set to zero.
// Expect: uninitialized_read

#include <cfloat>

__global__ void sum_of_rows(const float* x, float* scratch, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        for (int col = 0; col < cols; ++col) {
            scratch[row % 512] += expf(x[row * cols + col]);
        }
    }
}

__global__ void divide(const float* x, float* y, const float* scratch, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        for (int col = 0; col < cols; ++col) {
            y[row * cols + col] = expf(x[row * cols + col]) / scratch[row % 512];
        }
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    sum_of_rows<<<(rows + 255) / 256, 256, 0, stream>>>(x, scratch, rows, cols);
    divide<<<(rows + 255) / 256, 256, 0, stream>>>(x, y, scratch, rows, cols);
}
