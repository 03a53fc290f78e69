// Lesson 01 of the examples: y[i] = mask[0] x[i - r] + mask[1] x[i - r + 1] + ... + mask[width - 1] x[i + r].
//
//   x        n floats in the GPU's memory: read them only; beyond its ends x counts as 0
//   mask     width floats in the GPU's memory: read them only
//   y        n floats in the GPU's memory: write every one of them
//   n        1 or more, any number
//   width    1, 3, 5, ... or 127; r is width / 2
//   stream   give it to every launch and every copy
//
// `ladder check 01` says how far you are, `ladder hint 01` helps.

// >>> write your kernel here

__global__ void convolve(const float* x, const float* mask, float* y, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = mask[width / 2] * x[i];  // one of width products; and which of the others lie outside of x?
    }
}

extern "C" void convolution(const float* x, const float* mask, float* y, int n, int width, cudaStream_t stream) {
    int threads = 256;
    int blocks = (n - 1) / threads + 1;
    convolve<<<blocks, threads, 0, stream>>>(x, mask, y, n, width);
}

// <<<
