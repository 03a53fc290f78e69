// cuFFT: types, and functions that are refused where they are called.
#pragma once

#define _CUFFT_H_

#include "ladder_program.h"
#include "cuComplex.h"

enum cufftResult_t { CUFFT_SUCCESS = 0, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR,
                     CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA,
                     CUFFT_INCOMPLETE_PARAMETER_LIST, CUFFT_INVALID_DEVICE, CUFFT_PARSE_ERROR, CUFFT_NO_WORKSPACE, CUFFT_NOT_IMPLEMENTED,
                     CUFFT_LICENSE_ERROR, CUFFT_NOT_SUPPORTED };
using cufftResult = cufftResult_t;
enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69 };
using cufftType = cufftType_t;
using cufftHandle = int;
using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = cuComplex;
using cufftDoubleComplex = cuDoubleComplex;
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1

#define cufftPlan1d(...) LADDER_NO_LIBRARY(cufftResult, "cufftPlan1d")
#define cufftPlan2d(...) LADDER_NO_LIBRARY(cufftResult, "cufftPlan2d")
#define cufftPlan3d(...) LADDER_NO_LIBRARY(cufftResult, "cufftPlan3d")
#define cufftPlanMany(...) LADDER_NO_LIBRARY(cufftResult, "cufftPlanMany")
#define cufftCreate(...) LADDER_NO_LIBRARY(cufftResult, "cufftCreate")
#define cufftDestroy(...) LADDER_NO_LIBRARY(cufftResult, "cufftDestroy")
#define cufftMakePlan1d(...) LADDER_NO_LIBRARY(cufftResult, "cufftMakePlan1d")
#define cufftMakePlan2d(...) LADDER_NO_LIBRARY(cufftResult, "cufftMakePlan2d")
#define cufftMakePlan3d(...) LADDER_NO_LIBRARY(cufftResult, "cufftMakePlan3d")
#define cufftMakePlanMany(...) LADDER_NO_LIBRARY(cufftResult, "cufftMakePlanMany")
#define cufftExecC2C(...) LADDER_NO_LIBRARY(cufftResult, "cufftExecC2C")
#define cufftExecR2C(...) LADDER_NO_LIBRARY(cufftResult, "cufftExecR2C")
#define cufftExecC2R(...) LADDER_NO_LIBRARY(cufftResult, "cufftExecC2R")
#define cufftExecZ2Z(...) LADDER_NO_LIBRARY(cufftResult, "cufftExecZ2Z")
#define cufftExecD2Z(...) LADDER_NO_LIBRARY(cufftResult, "cufftExecD2Z")
#define cufftExecZ2D(...) LADDER_NO_LIBRARY(cufftResult, "cufftExecZ2D")
#define cufftSetStream(...) LADDER_NO_LIBRARY(cufftResult, "cufftSetStream")
#define cufftEstimate1d(...) LADDER_NO_LIBRARY(cufftResult, "cufftEstimate1d")
#define cufftGetSize(...) LADDER_NO_LIBRARY(cufftResult, "cufftGetSize")
#define cufftXtSetCallback(...) LADDER_NO_LIBRARY(cufftResult, "cufftXtSetCallback")
#define cufftXtExec(...) LADDER_NO_LIBRARY(cufftResult, "cufftXtExec")
