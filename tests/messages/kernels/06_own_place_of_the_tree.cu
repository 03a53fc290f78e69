// Each thread takes its own place of the tree for the result.
// Says: Each thread takes what lies in its own place of the tree, `values[threadIdx.x]`, for the row's maximum and sum: that of all threads lies in `values[0]`
constexpr int kBlock = 128;
template <typename Combine>
__device__ float tree(float value, Combine combine) {
    __shared__ float values[kBlock];
    __syncthreads();
    values[threadIdx.x] = value;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
    }
    __syncthreads();
    return values[threadIdx.x];
}
struct Larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};
__global__ void rows_of(const float* x, float* y, int cols) {
    x += static_cast<size_t>(blockIdx.x) * cols;
    y += static_cast<size_t>(blockIdx.x) * cols;
    float top = -3.4e38f, sum = 0;
    for (int c = threadIdx.x; c < cols; c += kBlock) top = fmaxf(top, x[c]);
    top = tree(top, Larger{});
    for (int c = threadIdx.x; c < cols; c += kBlock) sum += expf(x[c] - top);
    sum = tree(sum, Plus{});
    for (int c = threadIdx.x; c < cols; c += kBlock) y[c] = expf(x[c] - top) / sum;
}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    rows_of<<<rows, kBlock, 0, stream>>>(x, y, cols);
}
