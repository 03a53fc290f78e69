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
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned);
__device__ cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
__device__ cudaError_t cudaEventDestroy(cudaEvent_t);
__device__ cudaError_t cudaFree(void*);
__device__ cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t = nullptr);
__device__ cudaError_t cudaMemcpy2DAsync(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, cudaMemcpyKind, cudaStream_t = nullptr);
__device__ cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t = nullptr);
__device__ cudaError_t cudaMemset2DAsync(void*, std::size_t, int, std::size_t, std::size_t, cudaStream_t = nullptr);
__device__ cudaError_t cudaMemset3DAsync(cudaPitchedPtr, int, cudaExtent, cudaStream_t = nullptr);
__device__ cudaError_t cudaGetDeviceCount(int*);
__device__ cudaError_t cudaDeviceGetLimit(std::size_t*, cudaLimit);
__device__ cudaError_t cudaRuntimeGetVersion(int*);
#endif
