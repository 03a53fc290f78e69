// Does not subtract the maximum, so the exponential of a large element is infinite.
// Expect: wrong_result

__global__ void softmax_of_row(const float* x, float* y, int cols) {
    __shared__ float sums[256];
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += 256) {
        sum += expf(x[col]);
    }
    sums[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    __syncthreads();
    for (int col = threadIdx.x; col < cols; col += 256) {
        y[col] = expf(x[col]) / sums[0];
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    softmax_of_row<<<rows, 256, 0, stream>>>(x, y, cols);
}
