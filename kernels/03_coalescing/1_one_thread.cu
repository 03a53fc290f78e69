// Rung 1 of 4: one thread, one output.
//
// Row sum: a thread walks along its row. In each step the 32 threads of a warp read 32 numbers that lie a whole
// row apart, so one request fetches 32 sectors of 32 bytes and uses 4 bytes of each.
// Column sum: the same loop down a column. Now neighbouring threads read neighbouring numbers, 4 sectors a request,
// all of use. What is missing is work for the GPU: there are as many threads as columns, perhaps only 256.
// Transpose: whichever way round, one side is a row and the other a column. Here the loads are in a row
// (4 sectors a request) and the stores are a row of `out` apart (32 sectors).
//
// Work per input: at most 1 addition and 4 bytes, 8 for the transpose. Only the memory's bandwidth counts.
//
// Measured on an H200: row sum at 262144 x 256 274 us, column sum there 14.9 ms (with 256 threads), transpose at
// 16384 x 16384 4.3 ms. A sum of very many numbers in one float stands still in the end: from some ten million on, the
// next number is less than half of the sum's last digit. Rungs with more threads for a sum go further.

#include <cstdint>

constexpr unsigned kBlock = 256;

// Unsigned sizes: near 2^31 the last block's index would overflow an int. Offsets are 64 bits wide.
inline unsigned blocks_for(std::int64_t count, unsigned size) { return static_cast<unsigned>((count - 1) / size + 1); }

__global__ void sum_along_row(const float* x, float* out, unsigned rows, unsigned cols) {
    unsigned row = blockIdx.x * kBlock + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (unsigned col = 0; col < cols; ++col) {
            sum += x[std::int64_t{row} * cols + col];
        }
        out[row] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_along_row<<<blocks_for(rows, kBlock), kBlock, 0, stream>>>(x, out, rows, cols);
}

__global__ void sum_down_column(const float* x, float* out, std::int64_t outputs, unsigned rows, unsigned cols) {
    std::int64_t i = std::int64_t{blockIdx.x} * kBlock + threadIdx.x;
    if (i < outputs) {
        std::int64_t member = i / cols, col = i % cols;
        const float* top = x + member * rows * cols + col;
        float sum = 0.0f;
        for (unsigned row = 0; row < rows; ++row) {
            sum += top[std::int64_t{row} * cols];
        }
        out[i] = sum;
    }
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    std::int64_t outputs = std::int64_t{batch} * cols;
    sum_down_column<<<blocks_for(outputs, kBlock), kBlock, 0, stream>>>(x, out, outputs, rows, cols);
}

// A block moves a square of 32 x 32, its 8 warps 8 rows at a time.
constexpr unsigned kTile = 32, kRowsAtOnce = 8;

__global__ void transpose_elements(const float* x, float* out, unsigned rows, unsigned cols) {
    unsigned across = (cols - 1) / kTile + 1;
    unsigned left = blockIdx.x % across * kTile, top = blockIdx.x / across * kTile;
    unsigned col = left + threadIdx.x;
    for (unsigned k = threadIdx.y; k < kTile; k += kRowsAtOnce) {
        unsigned row = top + k;
        if (row < rows && col < cols) {
            out[std::int64_t{col} * rows + row] = x[std::int64_t{row} * cols + col];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    // A grid of one dimension: the second may have no more than 65535 blocks.
    unsigned blocks = blocks_for(rows, kTile) * blocks_for(cols, kTile);
    transpose_elements<<<blocks, dim3(kTile, kRowsAtOnce), 0, stream>>>(x, out, rows, cols);
}
