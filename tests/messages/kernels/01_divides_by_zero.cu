// Says: ends with an integer division by zero
// Says: What stands behind the `/` or `%` of that line is 0 in this case.
#include <cuda_runtime.h>
__global__ void k(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int groups = n / 1024;
    int g = i % groups;
    if (i < n) c[i] = a[i] + b[i] + float(g > n);
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {
    k<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);
}
