// What a kernel that launches others may call: here it is the host's function, which knows by which side it is called
// (runtime/children.h).
#pragma once

#define cudaStreamTailLaunch (reinterpret_cast<cudaStream_t>(3))
#define cudaStreamFireAndForget (reinterpret_cast<cudaStream_t>(4))

#ifdef __CUDA__   // the front end
__device__ cudaError_t cudaGetLastError();
__device__ cudaError_t cudaPeekAtLastError();
__device__ const char* cudaGetErrorName(cudaError_t);
__device__ const char* cudaGetErrorString(cudaError_t);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t);
#endif
