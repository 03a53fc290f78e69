// For the front end: the functions of the runtime API that nvcc takes in a kernel, too. On a GPU they return an error.
#pragma once

#define LADDER_DEVICE __attribute__((device)) cudaError_t

LADDER_DEVICE cudaGetDevice(int*);
LADDER_DEVICE cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
LADDER_DEVICE cudaMalloc(void**, std::size_t);
template <class T> LADDER_DEVICE cudaMalloc(T**, std::size_t);
template <class F> LADDER_DEVICE cudaFuncGetAttributes(cudaFuncAttributes*, F*);
template <class F> LADDER_DEVICE cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, F*, int, std::size_t);

#undef LADDER_DEVICE
