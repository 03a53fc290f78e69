// Rung 1 of 8: a thread for each column.
//
// A thread walks down its column. Neighbouring threads read neighbouring numbers, 4 sectors a request, and all of their
// bytes are used. What is missing is work for the GPU: there are as many threads as columns, perhaps only 256.
//
// Work per input: at most 1 addition and 4 bytes. Only the memory's bandwidth counts.
//
// On an H200, batch=1 rows=2^18 cols=256: 1_one_thread 14.8 ms, torch.sum 164 us.
// On an H200, batch=1 rows=256 cols=2^18: 1_one_thread 73.3 us, torch.sum 74.8 us.
// Where columns are many, so are threads: then this kernel is as fast as any.

#include <cstdint>

constexpr unsigned kBlock = 256;

// Unsigned sizes: near 2^31 the last block's index would overflow an int. Offsets are 64 bits wide.
inline unsigned blocks_for(std::int64_t count, unsigned size) { return static_cast<unsigned>((count - 1) / size + 1); }

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
