// Rung 1 of 10: a thread a row, in three passes.
// y = exp(x) / sum of exp(x) overflows where x is above 88. Divided by exp(max) above and below it is the same number,
// and no exponent is positive: one pass finds the maximum, one the sum, one writes. That reads each row three times,
// and the 32 rows of a warp lie far apart: each load brings 32 bytes for the 4 that are wanted. Rung 2 gives a row to
// a block.
//
// On an H200, rows=2^14 cols=2^14 scratch_len=1024: 1_three_passes 7.11 ms, torch.softmax 645 us.

#include <cfloat>
#include <cstdint>

__global__ void softmax_of_row(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    x += std::int64_t{row} * cols;
    y += std::int64_t{row} * cols;

    // fmaxf leaves out a NaN; the sum below does not, and hands it on to the whole row.
    float max = -FLT_MAX;
    for (int col = 0; col < cols; ++col) {
        max = fmaxf(max, x[col]);
    }
    float sum = 0.0f;
    for (int col = 0; col < cols; ++col) {
        sum += expf(x[col] - max);
    }
    for (int col = 0; col < cols; ++col) {
        y[col] = expf(x[col] - max) / sum;
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    constexpr int kBlock = 128;
    softmax_of_row<<<(rows - 1) / kBlock + 1, kBlock, 0, stream>>>(x, y, rows, cols);
}
