// Rung 4 of 10: a row in registers, read once.
// The threads of a block together have room for 16384 elements in their registers. So they load the row, all loads on
// their way at once, and never again: maximum, exponentials, sum and division happen where the elements are. An array
// lives in registers only if the compiler knows each index: its size is a constant, and all loops are unrolled. A
// thread takes its exponentials with its own maximum, so that each is computed once; when the row's pair is known, one
// factor for all of them makes up for the difference. Rows that do not fit are read twice, as in rung 3.
//
// On an H200, rows=2^14 cols=2^14 scratch_len=1024: 3_online 978 us, 4_registers 523 us, torch.softmax 645 us.
// On an H200, rows=2^17 cols=2048 scratch_len=1024: 3_online 708 us, 4_registers 2.04 ms.
// On an H200, rows=2^16 cols=4099 scratch_len=1024: 3_online 671 us, 4_registers 1.08 ms.
// At 16384 x 16384 that is nearly the speed of a copy, and no rung above wins more than 1 %. They are for rows of other
// lengths. This one is bad at shorter ones: each thread has work for 32 elements, whether they are there or not. Rung 7
// mends that.

#include <cfloat>
#include <cstdint>

constexpr int kBlock = 512;
constexpr int kHeld = 32;  // elements of a row in a thread's registers

// Of some elements: the largest, and the sum of exp(x - max).
struct Pair {
    float max, sum;
};

// Of no elements. -FLT_MAX, for no float but -inf itself is below it: with -inf here, -inf - -inf would give NaN.
__device__ Pair none() { return {-FLT_MAX, 0.0f}; }

// One of the two factors is exp(0).
__device__ Pair merge(Pair a, Pair b) {
    float max = fmaxf(a.max, b.max);
    return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

// The pairs of all threads merged, to every thread.
__device__ Pair tree(Pair pair) {
    __shared__ Pair pairs[kBlock];
    pairs[threadIdx.x] = pair;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            pairs[threadIdx.x] = merge(pairs[threadIdx.x], pairs[threadIdx.x + half]);
        }
    }
    __syncthreads();
    return pairs[0];
}

__global__ void __launch_bounds__(kBlock) row_in_registers(const float* x, float* y, int cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;

    float values[kHeld];
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
        int col = k * kBlock + threadIdx.x;
        values[k] = col < cols ? x[col] : -INFINITY;  // its exponential is 0
    }
    float max = none().max;
#pragma unroll
    for (float value : values) {
        max = fmaxf(max, value);
    }
    float sum = 0.0f;
#pragma unroll
    for (float& value : values) {
        value = expf(value - max);
        sum += value;
    }
    Pair row = tree({max, sum});
    float scale = expf(max - row.max) / row.sum;
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
        int col = k * kBlock + threadIdx.x;
        if (col < cols) {
            y[col] = values[k] * scale;
        }
    }
}

__global__ void long_row(const float* x, float* y, int cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;

    Pair pair = none();
    for (int col = threadIdx.x; col < cols; col += kBlock) {
        float max = fmaxf(pair.max, x[col]);
        pair = {max, pair.sum * expf(pair.max - max) + expf(x[col] - max)};
    }
    pair = tree(pair);
    for (int col = threadIdx.x; col < cols; col += kBlock) {
        y[col] = expf(x[col] - pair.max) / pair.sum;
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    if (cols <= kBlock * kHeld) {
        row_in_registers<<<rows, kBlock, 0, stream>>>(x, y, cols);
    } else {
        long_row<<<rows, kBlock, 0, stream>>>(x, y, cols);
    }
}
