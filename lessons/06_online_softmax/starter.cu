// Lesson 06: each row of x as shares of 1: exp(x) divided by the row's sum of exp(x).
//
//   x         rows * cols floats in the GPU's memory, row after row: read them only
//   y         as many floats: y[r][c] = exp(x[r][c]) / (exp(x[r][0]) + ... + exp(x[r][cols - 1]))
//   rows      1 or more
//   cols      1 or more; few rows may be very long
//   scratch   scratch_len floats in the GPU's memory for whatever a kernel wants to leave for another; garbage at first
//   stream    give it to every launch
//
// `ladder check 06` says how far you are, `ladder hint 06` helps.

// >>> write your kernel here

#include <cstdint>

__global__ void softmax_of_row(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    x += std::int64_t{row} * cols;  // this product can be more than an int holds
    y += std::int64_t{row} * cols;
    float sum = 0.0f;
    for (int col = 0; col < cols; ++col) {
        sum += expf(x[col]);  // how large can it become?
    }
    for (int col = 0; col < cols; ++col) {
        y[col] = expf(x[col]) / sum;
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    int threads = 128;
    int blocks = (rows - 1) / threads + 1;  // rounded up; rows + threads - 1 could overflow
    softmax_of_row<<<blocks, threads, 0, stream>>>(x, y, rows, cols);
}

// <<<
