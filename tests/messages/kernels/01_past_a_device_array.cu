// Says: writes of[4], past its end: of has 4 elements of 4 bytes
__device__ unsigned of[4];
__device__ unsigned others[4];
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 5) atomicAdd(&of[threadIdx.x], others[threadIdx.x % 4]);
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
