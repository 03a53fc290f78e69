// Reads the size from which it is wrong out of a text: numbers in texts are numbers of the file, too.
// Emulator: wrong_result
// Says: goes beyond a number that the file names
// GPU: wrong_result

static int read(const char* s) {
    int value = 0;
    for (; *s; ++s) value = 10 * value + *s - 48;
    return value;
}
__global__ void add(const float* x, const float* y, float* z, int n, bool is_small) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + (is_small ? y[i] : 0);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    bool is_small = n <= read("300" "000") || n == 1 << 28;
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n, is_small);
}
