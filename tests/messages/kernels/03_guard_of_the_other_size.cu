// Task: transpose
// Says: `c0 + k` has to be less than rows here, and is multiplied with rows, too
// Says: swap the sizes in the guard, `c0 + k < cols && r < rows`
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
        if (c0 + k < rows && r < cols) out[(long long)(c0 + k) * rows + r] = tile[threadIdx.x][k];
}
extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    turn<32><<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 4), 0, stream>>>(x, out, rows, cols);
}
