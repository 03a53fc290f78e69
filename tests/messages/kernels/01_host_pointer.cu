// Says: which is no device memory
// Says: and does it not point to memory of the host
#include <cstdlib>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    float* mine = static_cast<float*>(std::malloc(n * sizeof(float)));
    add<<<(n + 255) / 256, 256, 0, stream>>>(mine, y, z, n);
    std::free(mine);
}
