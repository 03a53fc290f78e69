// Where a CUDA thread is. Real variables, which the runtime sets whenever a fiber continues: so host code may still
// call a variable of its own `blockDim`. All four are uint3 (a dim3 comes from one by itself), because g++ sees a
// constant, whose reads are no memory traffic, only in a type without a constructor.
#pragma once

#include "vector_types.h"

LADDER_PER_THREAD const uint3 threadIdx;
LADDER_PER_THREAD const uint3 blockIdx;
LADDER_PER_THREAD const uint3 blockDim;
LADDER_PER_THREAD const uint3 gridDim;

#ifdef __CUDA__
extern __device__ const int warpSize;   // no constant to nvcc
#else
constexpr int warpSize = 32;
#endif
