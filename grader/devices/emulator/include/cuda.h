// The driver API: its types, and in a whole program what can be asked and done without loading code (ladder_more/driver.h).
#pragma once

#include "cuda_runtime.h"

#define __cuda_cuda_h__   // by which the samples' helper_cuda_drvapi.h sees it
#define CUDA_VERSION 13000

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUstream = CUstream_st*;
using CUevent = CUevent_st*;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;

// CUDA's numbers, most of which are those of the runtime's errors.
#define LADDER_DRIVER_ERRORS(error) \
    error(INVALID_VALUE, 1) error(OUT_OF_MEMORY, 2) error(NOT_INITIALIZED, 3) error(DEINITIALIZED, 4) error(NO_DEVICE, 100) \
    error(INVALID_DEVICE, 101) error(INVALID_IMAGE, 200) error(INVALID_CONTEXT, 201) error(NO_BINARY_FOR_GPU, 209) \
    error(UNSUPPORTED_LIMIT, 215) error(PEER_ACCESS_UNSUPPORTED, 217) error(INVALID_PTX, 218) error(INVALID_SOURCE, 300) \
    error(FILE_NOT_FOUND, 301) error(OPERATING_SYSTEM, 304) error(INVALID_HANDLE, 400) error(ILLEGAL_STATE, 401) error(NOT_FOUND, 500) \
    error(NOT_READY, 600) error(ILLEGAL_ADDRESS, 700) error(LAUNCH_OUT_OF_RESOURCES, 701) error(LAUNCH_TIMEOUT, 702) \
    error(PEER_ACCESS_ALREADY_ENABLED, 704) error(PEER_ACCESS_NOT_ENABLED, 705) error(CONTEXT_IS_DESTROYED, 709) error(ASSERT, 710) \
    error(HOST_MEMORY_ALREADY_REGISTERED, 712) error(HOST_MEMORY_NOT_REGISTERED, 713) error(ILLEGAL_INSTRUCTION, 715) \
    error(MISALIGNED_ADDRESS, 716) error(LAUNCH_FAILED, 719) error(COOPERATIVE_LAUNCH_TOO_LARGE, 720) error(NOT_PERMITTED, 800) \
    error(NOT_SUPPORTED, 801) error(UNKNOWN, 999)
enum CUresult {
    CUDA_SUCCESS = 0,
#define LADDER_ERROR(name, number) CUDA_ERROR_##name = number,
    LADDER_DRIVER_ERRORS(LADDER_ERROR)
#undef LADDER_ERROR
};

#if __has_include("ladder_more/driver.h")
#include "ladder_more/driver.h"
#endif
