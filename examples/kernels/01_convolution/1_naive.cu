// Rung 1 of 4: a thread for each output.
//
// A thread walks along the mask, and loads an element and its weight in each step. Neighbouring threads load
// neighbouring elements, and all of them the same weight, so every request is neat. But there are 2 · width of them for
// each output, where memory would have to give one number: the rest comes from the L1 cache, and its rate is the limit.
//
// Measured on an H200 at 2^26 elements and a mask of 31: 778 us; torch.nn.functional.conv1d 1433 us, a copy 126 us.

constexpr int kBlock = 256;

__global__ void convolve(const float* x, const float* mask, float* y, int n, int width) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k < width; ++k) {
            int at = i + k - width / 2;
            if (at >= 0 && at < n) {  // beyond its ends x counts as 0
                sum += mask[k] * x[at];
            }
        }
        y[i] = sum;
    }
}

extern "C" void convolution(const float* x, const float* mask, float* y, int n, int width, cudaStream_t stream) {
    int blocks = (n - 1) / kBlock + 1;
    convolve<<<blocks, kBlock, 0, stream>>>(x, mask, y, n, width);
}
