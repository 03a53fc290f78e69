// Computes cosine and sine in half precision.
// Emulator: wrong_result
// Says: close, but not close enough
// GPU: wrong_result

#include <cuda_fp16.h>

__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        half angle = __float2half(phi[i]);
        xy[2 * i] = __half2float(hcos(angle));
        xy[2 * i + 1] = __half2float(hsin(angle));
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
