// Constants of the host in kernels: nvcc takes their values where it works them out, and never their memory.
#include <cmath>
#include <cstdio>
#include "tables.h"

__constant__ float on_device[kTaps] = {kTable[0], kTable[1], kTable[2]};
template <int kCount> __device__ int counted() { return kCount; }

__global__ void right(float* out) {
    constexpr float middle = kTable[1];
    constexpr float own[2] = {1, 2};
    int i = threadIdx.x;
    out[i] = own[i % 2] + static_cast<float>(M_PI) + sizeof(kTable) / sizeof(kTable[0]);
    if (i < kTaps) out[i] += on_device[i] * middle + kShape.rows * kShape.columns + counted<kTaps>() + Traits::kOne;
}
#ifdef WRONG
__global__ void table(float* out) { out[threadIdx.x] = kTable[threadIdx.x % kTaps]; }
__global__ void sizes(float* out) { out[threadIdx.x] = kSizes[threadIdx.x % 2]; }
__global__ void pointer(float* out) { const float* p = kTable; out[threadIdx.x] = *p; }
__global__ void of_class(float* out) { out[threadIdx.x] = Traits::kWidths[threadIdx.x % 2]; }
#endif

int main() {
    float *out, host[32], sum = 0;
    cudaMalloc(&out, sizeof(host));
    right<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    for (float each : kTable) sum += each;
    printf("%g %g\n", sum, host[1]);
    cudaFree(out);
}
