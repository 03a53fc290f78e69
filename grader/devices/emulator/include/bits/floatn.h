// The C library's, for clang's look with a GPU's eyes, which knows no numbers of 128 bits: up to its version 2.40, glibc
// left them out for CUDA.
#if defined(__CUDA_ARCH__) && defined(__clang__) && defined(__x86_64__)
#ifndef _BITS_FLOATN_H
#define _BITS_FLOATN_H
#define __HAVE_FLOAT128 0
#define __HAVE_DISTINCT_FLOAT128 0
#define __HAVE_FLOAT64X 1
#define __HAVE_FLOAT64X_LONG_DOUBLE 1
#include <bits/floatn-common.h>
#endif
#else
#include_next <bits/floatn.h>
#endif
