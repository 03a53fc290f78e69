// Creates a stream of its own in every call and never destroys it, and the given one knows nothing of the launch.
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

__global__ void softmax_of_row(const float* x, float* y, int cols) {
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    Pair pair = {-FLT_MAX, 0.0f};
    for (int col = threadIdx.x; col < cols; col += 256) {
        pair = merge(pair, {x[col], 1.0f});
    }
    pair = tree(pair);
    for (int col = threadIdx.x; col < cols; col += 256) {
        y[col] = expf(x[col] - pair.max) / pair.sum;
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    cudaStream_t own;
    cudaStreamCreate(&own);
    softmax_of_row<<<rows, 256, 0, own>>>(x, y, cols);
}
