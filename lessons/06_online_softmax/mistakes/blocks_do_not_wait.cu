// A block reads the pairs of the others in the same launch: they may not be there yet.
// Expect: race

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

// Block b has part b of a row.
__global__ void softmax_of_part(const float* x, float* y, float* scratch, int cols, int piece) {
    int begin = blockIdx.x * piece, end = min(begin + piece, cols);
    Pair pair = {-FLT_MAX, 0.0f};
    for (int col = begin + threadIdx.x; col < end; col += 256) {
        pair = merge(pair, {x[col], 1.0f});
    }
    pair = tree(pair);
    if (threadIdx.x == 0) {
        scratch[2 * blockIdx.x] = pair.max;
        scratch[2 * blockIdx.x + 1] = pair.sum;
    }
    __syncthreads();
    pair = {-FLT_MAX, 0.0f};
    for (int part = 0; part < gridDim.x; ++part) {
        pair = merge(pair, {scratch[2 * part], scratch[2 * part + 1]});
    }
    for (int col = begin + threadIdx.x; col < end; col += 256) {
        y[col] = expf(x[col] - pair.max) / pair.sum;
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    int parts = min((cols - 1) / 4096 + 1, scratch_len / 2), piece = (cols - 1) / parts + 1;
    for (int row = 0; row < rows; ++row, x += cols, y += cols) {
        softmax_of_part<<<parts, 256, 0, stream>>>(x, y, scratch, cols, piece);
    }
}
