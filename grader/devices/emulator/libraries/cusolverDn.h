// cuSOLVER: types, and functions that are refused where they are called.
#pragma once

#define CUSOLVER_COMMON_H_

#include "cublas_v2.h"

enum cusolverStatus_t { CUSOLVER_STATUS_SUCCESS = 0, CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_INVALID_VALUE,
                        CUSOLVER_STATUS_ARCH_MISMATCH, CUSOLVER_STATUS_MAPPING_ERROR, CUSOLVER_STATUS_EXECUTION_FAILED,
                        CUSOLVER_STATUS_INTERNAL_ERROR, CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED, CUSOLVER_STATUS_NOT_SUPPORTED,
                        CUSOLVER_STATUS_ZERO_PIVOT, CUSOLVER_STATUS_INVALID_LICENSE };
using cusolverDnHandle_t = struct cusolverDnContext*;
using syevjInfo_t = struct syevjInfo*;
using gesvdjInfo_t = struct gesvdjInfo*;
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR };

#define cusolverDnCreate(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnCreate")
#define cusolverDnDestroy(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDestroy")
#define cusolverDnSetStream(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSetStream")
#define cusolverDnSgetrf(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSgetrf")
#define cusolverDnDgetrf(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDgetrf")
#define cusolverDnSgetrf_bufferSize(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSgetrf_bufferSize")
#define cusolverDnDgetrf_bufferSize(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDgetrf_bufferSize")
#define cusolverDnSgetrs(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSgetrs")
#define cusolverDnDgetrs(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDgetrs")
#define cusolverDnSpotrf(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSpotrf")
#define cusolverDnDpotrf(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDpotrf")
#define cusolverDnSpotrf_bufferSize(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSpotrf_bufferSize")
#define cusolverDnDpotrf_bufferSize(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDpotrf_bufferSize")
#define cusolverDnSgeqrf(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSgeqrf")
#define cusolverDnDgeqrf(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDgeqrf")
#define cusolverDnSgesvd(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSgesvd")
#define cusolverDnDgesvd(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDgesvd")
#define cusolverDnSgesvd_bufferSize(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSgesvd_bufferSize")
#define cusolverDnDgesvd_bufferSize(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDgesvd_bufferSize")
#define cusolverDnSsyevd(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSsyevd")
#define cusolverDnDsyevd(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDsyevd")
#define cusolverDnSsyevd_bufferSize(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnSsyevd_bufferSize")
#define cusolverDnDsyevd_bufferSize(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDsyevd_bufferSize")
#define cusolverDnCheevj(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnCheevj")
#define cusolverDnZheevj(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnZheevj")
#define cusolverDnCreateSyevjInfo(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnCreateSyevjInfo")
#define cusolverDnDsyevj(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverDnDsyevj")
