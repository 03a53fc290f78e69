// Copied from a page, whose blanks are others.
// Says: this blank is U+00A0 (no-break space), as in a text from a page: type a space in its place
// GPU: build_error

constexpr int kBlock = 256;  // threads in a block: a multiple of the warp's 32

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {  // the last block reaches past the end
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int blocks = (n - 1) / kBlock + 1;  // n / kBlock rounded up; n + kBlock - 1 could overflow
    add<<<blocks, kBlock, 0, stream>>>(x, y, z, n);
}
