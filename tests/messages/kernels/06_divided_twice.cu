// Each element is divided by the sum of its row twice.
// Says: Each row of y is divided by its sum twice: divide once, by one of the two.
constexpr int kBlock = 128;
__device__ float warp_max(float v) {
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}
__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    return v;
}
__global__ void rows_of(const float* x, float* y, int cols) {
    __shared__ float maxima[kBlock / 32], sums[kBlock / 32];
    x += static_cast<size_t>(blockIdx.x) * cols;
    y += static_cast<size_t>(blockIdx.x) * cols;
    float mine = -3.4e38f, sum = 0;
    for (int c = threadIdx.x; c < cols; c += kBlock) mine = fmaxf(mine, x[c]);
    mine = warp_max(mine);
    if (threadIdx.x % 32 == 0) maxima[threadIdx.x / 32] = mine;
    __syncthreads();
    float top = warp_max(maxima[threadIdx.x % (kBlock / 32)]);
    for (int c = threadIdx.x; c < cols; c += kBlock) sum += expf(x[c] - top);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (float each : sums) sum += each;
    for (int c = threadIdx.x; c < cols; c += kBlock) y[c] = expf(x[c] - top) / sum / sum;
}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    rows_of<<<rows, kBlock, 0, stream>>>(x, y, cols);
}
