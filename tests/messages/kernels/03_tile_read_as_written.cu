// Task: transpose
// Says: Or are the two indices of tile swapped, here or where it is written
template <int T> __global__ void turn(const float* x, float* out, int rows, int cols) {
    __shared__ float tile[T][T + 1];
    int c = blockIdx.x * T + threadIdx.x;
    int r0 = blockIdx.y * T;
    for (int k = threadIdx.y; k < T; k += blockDim.y)
        if (r0 + k < rows && c < cols) tile[k][threadIdx.x] = x[(long long)(r0 + k) * cols + c];
    __syncthreads();
    int r = r0 + threadIdx.x;
    int c0 = blockIdx.x * T;
    for (int k = threadIdx.y; k < T; k += blockDim.y)
        if (c0 + k < cols && r < rows) out[(long long)(c0 + k) * rows + r] = tile[k][threadIdx.x];
}
extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    turn<32><<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 4), 0, stream>>>(x, out, rows, cols);
}
