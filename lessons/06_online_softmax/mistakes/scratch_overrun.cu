// Leaves a pair for each 128 elements in scratch memory, however many that are.
// Expect: out_of_bounds

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

// Block b has elements b * kPiece, ... of the only row.
constexpr int kPiece = 128;

__global__ void pair_of_piece(const float* x, float* scratch, int cols) {
    int col = blockIdx.x * kPiece + threadIdx.x;
    Pair pair = {-FLT_MAX, 0.0f};
    if (threadIdx.x < kPiece && col < cols) {
        pair = {x[col], 1.0f};
    }
    pair = tree(pair);
    if (threadIdx.x == 0) {
        scratch[2 * blockIdx.x] = pair.max;
        scratch[2 * blockIdx.x + 1] = pair.sum;
    }
}

__global__ void softmax_of_piece(const float* x, float* y, const float* scratch, int cols) {
    Pair pair = {-FLT_MAX, 0.0f};
    for (int part = threadIdx.x; part < gridDim.x; part += 256) {
        pair = merge(pair, {scratch[2 * part], scratch[2 * part + 1]});
    }
    pair = tree(pair);
    int col = blockIdx.x * kPiece + threadIdx.x;
    if (threadIdx.x < kPiece && col < cols) {
        y[col] = expf(x[col] - pair.max) / pair.sum;
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    int parts = (cols - 1) / kPiece + 1;
    for (int row = 0; row < rows; ++row, x += cols, y += cols) {
        pair_of_piece<<<parts, 256, 0, stream>>>(x, scratch, cols);
        softmax_of_piece<<<parts, 256, 0, stream>>>(x, y, scratch, cols);
    }
}
