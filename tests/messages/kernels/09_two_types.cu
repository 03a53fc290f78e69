// Says: the two values of this `? :` are `__nv_bfloat16` and `int`: write both as one type, `__nv_bfloat16(...)`
// GPU: build_error
// Task: matmul_bf16
#include <cuda_bf16.h>

__global__ void product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 first = i < m * k ? a[i] : 0;
    if (i < m * n) c[i] = __bfloat162float(first) * __bfloat162float(b[0]);
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    product<<<(m * n + 255) / 256, 256, 0, stream>>>(a, b, c, m, n, k);
}
