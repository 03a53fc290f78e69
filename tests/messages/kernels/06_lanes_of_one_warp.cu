// Says: a __syncthreads() is missing between line 11 and line 12, or a __syncwarp() if only lanes of one warp share it
#include <cuda_runtime.h>
__global__ void k(const float* x, float* y, int rows, int cols) {
    __shared__ float m[8][32];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + w;
    if (row >= rows) return;
    const float* r = x + (size_t)row * cols;
    float best = -INFINITY;
    for (int c = lane; c < cols; c += 32) best = fmaxf(best, r[c]);
    m[w][lane] = best;
    for (int c = 0; c < 32; ++c) best = fmaxf(best, m[w][c]);
    float s = 0;
    for (int c = 0; c < cols; ++c) s += expf(r[c] - best);
    for (int c = lane; c < cols; c += 32) y[(size_t)row * cols + c] = expf(r[c] - best) / s;
}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len, cudaStream_t s) {
    k<<<(rows + 7) / 8, 256, 0, s>>>(x, y, rows, cols);
}
