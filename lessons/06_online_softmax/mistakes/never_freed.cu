// Takes memory of its own for the pairs in every call, and never gives it back.
// Expect: leak

#include <cfloat>

struct Pair {
    float max, sum;
};

__device__ Pair merge(Pair a, Pair b) {
    float max = fmaxf(a.max, b.max);
    return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

__device__ Pair tree(Pair pair) {
    __shared__ Pair pairs[256];
    pairs[threadIdx.x] = pair;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            pairs[threadIdx.x] = merge(pairs[threadIdx.x], pairs[threadIdx.x + half]);
        }
    }
    __syncthreads();
    return pairs[0];
}

__global__ void pairs_of_rows(const float* x, float* pairs, int cols) {
    x += blockIdx.x * cols;
    Pair pair = {-FLT_MAX, 0.0f};
    for (int col = threadIdx.x; col < cols; col += 256) {
        pair = merge(pair, {x[col], 1.0f});
    }
    pair = tree(pair);
    if (threadIdx.x == 0) {
        pairs[2 * blockIdx.x] = pair.max;
        pairs[2 * blockIdx.x + 1] = pair.sum;
    }
}

__global__ void divide(const float* x, float* y, const float* pairs, int cols) {
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    for (int col = threadIdx.x; col < cols; col += 256) {
        y[col] = expf(x[col] - pairs[2 * blockIdx.x]) / pairs[2 * blockIdx.x + 1];
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    float* pairs;
    cudaMalloc(&pairs, 2 * rows * sizeof(float));
    pairs_of_rows<<<rows, 256, 0, stream>>>(x, pairs, cols);
    divide<<<rows, 256, 0, stream>>>(x, y, pairs, cols);
}
