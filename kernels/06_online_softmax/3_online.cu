// Rung 3 of 10: the maximum and the sum in one pass.
// A sum of exp(x - max) is wrong once a larger element comes, but by a known factor: with the new maximum it is
// sum * exp(old max - new max). So one pass finds both ("online softmax", Milakov and Gimelshein, 2018), and a row is
// read twice instead of three times. The factor works for any two parts of a row: pairs (max, sum) can be merged, in
// any order, and (-FLT_MAX, 0) changes nothing. So rung 2's tree merges pairs. Rung 4 reads a row once.
//
// On an H200, rows=2^14 cols=2^14 scratch_len=1024: 2_block_a_row 1.13 ms, 3_online 978 us.

#include <cfloat>
#include <cstdint>

constexpr int kBlock = 256;

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

__global__ void softmax_of_row(const float* x, float* y, int cols) {
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
    softmax_of_row<<<rows, kBlock, 0, stream>>>(x, y, cols);
}
