// Adds in half precision: three decimal digits where seven are asked for.
// Expect: wrong_result

#include <cuda_fp16.h>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = __half2float(__float2half(x[i]) + __float2half(y[i]));
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
