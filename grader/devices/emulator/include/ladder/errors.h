// cudaError_t: the errors that the emulator can return or a launcher may ask for, with CUDA's numbers and words.
#pragma once

#include "qualifiers.h"

#define LADDER_ERRORS(error)                                                                   \
    error(cudaSuccess, 0, "no error")                                                          \
    error(cudaErrorInvalidValue, 1, "invalid argument")                                        \
    error(cudaErrorMemoryAllocation, 2, "out of memory")                                       \
    error(cudaErrorInitializationError, 3, "initialization error")                             \
    error(cudaErrorCudartUnloading, 4, "driver shutting down")                                 \
    error(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                  \
    error(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                            \
    error(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                 \
    error(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                             \
    error(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                         \
    error(cudaErrorInvalidTexture, 18, "invalid texture reference")                            \
    error(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                 \
    error(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")            \
    error(cudaErrorInsufficientDriver, 35,                                                     \
          "CUDA driver version is insufficient for CUDA runtime version")                      \
    error(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable") \
    error(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                       \
    error(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                        \
    error(cudaErrorInvalidDevice, 101, "invalid device ordinal")                               \
    error(cudaErrorNoKernelImageForDevice, 209,                                                \
          "no kernel image is available for execution on the device")                          \
    error(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
    error(cudaErrorFileNotFound, 301, "file not found")                                        \
    error(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                      \
    error(cudaErrorNotReady, 600, "device not ready")                                          \
    error(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")            \
    error(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")       \
    error(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")              \
    error(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")            \
    error(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")              \
    error(cudaErrorContextIsDestroyed, 709, "context is destroyed")                            \
    error(cudaErrorAssert, 710, "device-side assert triggered")                                \
    error(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
    error(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
    error(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")          \
    error(cudaErrorMisalignedAddress, 716, "misaligned address")                               \
    error(cudaErrorLaunchFailure, 719, "unspecified launch failure")                           \
    error(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")    \
    error(cudaErrorNotSupported, 801, "operation not supported")                               \
    error(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
    error(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
    error(cudaErrorGraphExecUpdateFailure, 910,                                                \
          "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
    error(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define LADDER_ERROR(name, number, text) name = number,
    LADDER_ERRORS(LADDER_ERROR)
#undef LADDER_ERROR
};
using cudaError_t = cudaError;

inline LADDER_UNSEEN const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define LADDER_ERROR(name, number, text) case name: return #name;
        LADDER_ERRORS(LADDER_ERROR)
#undef LADDER_ERROR
    }
    return "unrecognized error code";
}

inline LADDER_UNSEEN const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define LADDER_ERROR(name, number, text) case name: return text;
        LADDER_ERRORS(LADDER_ERROR)
#undef LADDER_ERROR
    }
    return "unrecognized error code";
}

#undef LADDER_ERRORS

inline LADDER_UNSEEN cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(ladder_last_error(1)); }
inline LADDER_UNSEEN cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(ladder_last_error(0)); }

namespace ladder {

// What a host function returns: its own error, which cudaGetLastError repeats, or else the fault of an earlier kernel,
// after which nothing works any more.
inline LADDER_UNSEEN cudaError_t status(int error = Success) {
    if (error) ladder_set_error(error);
    const int last = ladder_last_error(0);
    const bool fault = last == IllegalAddress || (last > LaunchOutOfResources && last <= LaunchFailure);
    return static_cast<cudaError_t>(error || !fault ? error : last);
}

}  // namespace ladder
