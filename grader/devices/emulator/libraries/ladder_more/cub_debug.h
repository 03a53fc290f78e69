// cub's checks of errors, as in CubDebugExit(cub::DeviceReduce::Sum(...)).
#pragma once

#include <cstdio>
#include <cstdlib>

// Of CUDA 13.0's CCCL.
#define CUB_VERSION 300001
#define CUB_MAJOR_VERSION (CUB_VERSION / 100000)
#define CUB_MINOR_VERSION (CUB_VERSION / 100 % 1000)
#define CUB_SUBMINOR_VERSION (CUB_VERSION % 100)

namespace cub {

// The error that a call gives, or one that is left from before; it is told where CUB_STDERR is defined.
__host__ __device__ inline cudaError_t Debug(cudaError_t error, const char* file, int line) {
#ifndef __CUDA_ARCH__
    const cudaError_t last = cudaGetLastError();
    if (error == cudaSuccess) error = last;
#endif
#ifdef CUB_STDERR
    if (error) printf("CUDA error %d [%s, %d]: %s\n", error, file, line, cudaGetErrorString(error));
#else
    (void)file, (void)line;
#endif
    return error;
}

}  // namespace cub

#ifndef CubDebug
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#endif
#ifndef CubDebugExit
#define CubDebugExit(e) if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) { exit(1); }
#endif
#ifndef _CubLog
#define _CubLog(format, ...) printf(format, __VA_ARGS__)
#endif
