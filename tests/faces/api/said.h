// What calls return, by line: the comment behind each names what an H200 with CUDA 13.0 says (driver 580).
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define SAY(call) do { const cudaError_t said = (call); printf("%d %s\n", __LINE__, cudaGetErrorName(said)); } while (0)
#define LAST() SAY(cudaGetLastError())
#define SHOW(format, value) printf("%d " format "\n", __LINE__, value)
