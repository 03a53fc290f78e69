// The driver API's types and none of its functions: kernels here are launched through the runtime API.
#pragma once

#include "cuda_runtime.h"

#define CUDA_VERSION 13000

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUstream = CUstream_st*;
using CUevent = CUevent_st*;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;

enum CUresult {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999,
};
