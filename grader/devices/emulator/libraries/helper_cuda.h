// The names of NVIDIA's samples' helper_cuda.h, for programs that do not bring it.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "helper_string.h"
#include "ladder_program.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

template <class T> void check(T result, const char* function, const char* file, int line) {
    if (!result) return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<int>(result),
            cudaGetErrorName(static_cast<cudaError_t>(static_cast<int>(result))), function);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline void __getLastCudaError(const char* message, const char* file, int line) {
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%d) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, static_cast<int>(error),
            cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
inline void __printLastCudaError(const char* message, const char* file, int line) {
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        fprintf(stderr, "%s(%d) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, static_cast<int>(error),
                cudaGetErrorString(error));
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

inline int ftoi(float value) { return static_cast<int>(value >= 0 ? value + 0.5 : value - 0.5); }
inline int _ConvertSMVer2Cores(int, int) { return 128; }   // of 9.0, as in NVIDIA's helper_cuda.h
inline const char* _ConvertSMVer2ArchName(int, int) { return "Turing"; }

inline int gpuDeviceInit(int device) {
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (device < 0) device = 0;
    if (device >= count) return -device;
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int argc, const char** argv) {
    const int asked = checkCmdLineFlag(argc, argv, "device") ? getCmdLineArgumentInt(argc, argv, "device") : 0;
    const int device = gpuDeviceInit(asked);
    if (device < 0) {
        printf("exiting...\n");
        exit(EXIT_FAILURE);
    }
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name, properties.major, properties.minor);
    return device;
}
inline int findCudaDevice(int argc, char** argv) { return findCudaDevice(argc, const_cast<const char**>(argv)); }
inline int findIntegratedGPU() { return -1; }
inline bool checkCudaCapabilities(int major, int minor) {
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
    return properties.major > major || (properties.major == major && properties.minor >= minor);
}
