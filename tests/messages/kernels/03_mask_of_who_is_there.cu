// Task: row_sum
// Says: which is not named in the mask: that value is undefined
// Says: __activemask() tells only who happens to be there
__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    float sum = 0;
    for (int col = threadIdx.x; col < cols; col += 32) {
        float value = x[blockIdx.x * cols + col];
        for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(__activemask(), value, step);
        sum += value;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<rows, 32, 0, stream>>>(x, out, rows, cols);
}
