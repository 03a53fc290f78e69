// What nvcc includes before the first line of every .cu file, and the macros it predefines.
#pragma once

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1
#define __CUDA_ARCH_LIST__ 900
#define CUDART_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION
// By these a file sees which of CUDA's headers are there, as the samples' helper_cuda.h does.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __TEXTURE_TYPES_H__
#define __SURFACE_TYPES_H__
#define __LIBRARY_TYPES_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
// One compilation stands for nvcc's host pass and its device pass. Code that asks does so to pick a device path, so it
// is the device's answer that is given: compute capability 9.0, an H200's. A file that has what is not emulated of it (bulk
// copies, wgmma) is told 8.0 in its first lines, for it may have another way there (first_lines.py).
#ifndef __CUDA__   // the front end looks with each side's eyes
#define __CUDA_ARCH__ 900
#endif

// Of the standard headers, those that nvcc 13 includes too: no <cstdio> and no <cassert>. A file that needs one of
// these must say so here as well, or it would fail on a GPU first.
// C++17's, that is: <math.h> of C++20 puts a lerp into the global namespace, where learners have their own.
#define lerp lerp_of_cxx20
#include <math.h>
#undef lerp
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>
#include <utility>
