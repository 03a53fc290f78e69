// Says: reads a local variable of another thread
// Says: A local variable lives in its thread's own registers or stack
__global__ void add(const float* x, const float* y, float* z, int n) {
    __shared__ const float* sums[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? x[i] + y[i] : 0;
    sums[threadIdx.x] = &sum;
    __syncthreads();
    float other = *sums[63 - threadIdx.x];
    if (i < n) z[i] = sum + 0 * other;
    __syncthreads();
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 63) / 64, 64, 0, stream>>>(x, y, z, n);
}
