// Copies between device memory and device memory, of another kind: an H200 copies them as if the kind were right.
#include <cstdio>

__constant__ float table[64];
__device__ float numbers[64];

__global__ void add(float* out) { out[threadIdx.x] = table[threadIdx.x] + numbers[threadIdx.x]; }

int main() {
    float host[64], back[64] = {};
    for (int i = 0; i < 64; ++i) host[i] = i + 1;
    float *x, *y;
    cudaMalloc(&x, sizeof host), cudaMalloc(&y, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, x, sizeof host);             // note
    cudaMemcpy(y, x, sizeof host, cudaMemcpyDeviceToHost); // note
    cudaMemcpyToSymbol(numbers, y, sizeof host);           // note
    add<<<1, 64>>>(y);
    cudaMemcpyFromSymbol(x, table, sizeof host);           // note
    cudaMemcpy(back, y, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", back[63]);
    cudaFree(x), cudaFree(y);
}
