// Says: out has `[i + 32]` twice and lacks `[i + 64]` of each round of 4
// Task: row_sum
template <class T> struct Div { static constexpr int lanes = 32; };
__global__ void rows4(const float* x, float* out, int rows, int cols) {
    int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float a = 0, b = 0, c = 0, d = 0;
    int j = lane;
    for (; j + 96 < cols; j += 128) {
        a += p[j];
        b += p[j + 32];
        c += p[j + 32];
        d += p[j + 96];
    }
    for (; j < cols; j += 32) a += p[j];
    float s = (a + b) + (c + d);
#pragma unroll
    for (int m = 16; m; m >>= 1) s += __shfl_xor_sync(~0u, s, m);
    if (!lane) out[row] = s;
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    dim3 block(32, 8);
    rows4<<<(rows + 7) / 8, block, 0, stream>>>(x, out, rows, cols);
}
