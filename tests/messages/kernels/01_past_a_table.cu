// Says: writes store[1024], past its end: store has 1024 elements
__device__ float store[1024];
static cudaStream_t kept;
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
    if (threadIdx.x == 0) store[blockIdx.x + 1000] = 1;
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    kept = stream;
    add<<<(n + 255) / 256, 256, 0, kept>>>(x, y, z, n);
}
