#include <cstdio>

#include "limits.h"

__global__ void ones(float* x) { x[threadIdx.x] = 1; }

void fill(float* x) {
    ones<<<1, COUNT>>>(x);
    CHECK(cudaDeviceSynchronize());
}
