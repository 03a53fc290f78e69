#pragma once

#include "../limits.h"

// One past the end, on purpose.
template <class T>
__global__ void scale(T* x, T factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= COUNT) x[i] *= factor;
}
