// The value stands in the mask's place.
// Task: row_sum
// Says: the mask comes first, and then the value: `__shfl_down_sync(0xffffffff, value, d)`; here `sum` stands in the mask's place.

__global__ void sums(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x;
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32) sum += x[(long)row * cols + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(sum, 0xffffffff, d);
    if (threadIdx.x == 0) out[row] = sum;
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sums<<<rows, 32, 0, stream>>>(x, out, rows, cols);
}
