// NVRTC: refused where it is called, for nothing compiles at run time here.
#pragma once

#include "ladder_program.h"

enum nvrtcResult { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_COMPILATION = 6 };
using nvrtcProgram = struct nvrtcProgramStruct*;
inline const char* nvrtcGetErrorString(nvrtcResult) { return "NVRTC is not emulated"; }

#define nvrtcCreateProgram(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcCreateProgram")
#define nvrtcCompileProgram(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcCompileProgram")
#define nvrtcDestroyProgram(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcDestroyProgram")
#define nvrtcGetPTX(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcGetPTX")
#define nvrtcGetPTXSize(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcGetPTXSize")
#define nvrtcGetProgramLog(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcGetProgramLog")
#define nvrtcGetProgramLogSize(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcGetProgramLogSize")
#define nvrtcGetCUBIN(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcGetCUBIN")
#define nvrtcGetCUBINSize(...) LADDER_NO_LIBRARY(nvrtcResult, "nvrtcGetCUBINSize")
