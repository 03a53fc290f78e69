// cuSPARSE: types, and functions that are refused where they are called.
#pragma once

#include "ladder_program.h"
#include "library_types.h"

enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE,
                        CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_EXECUTION_FAILED = 6, CUSPARSE_STATUS_INTERNAL_ERROR = 7 };
using cusparseHandle_t = struct cusparseContext*;
using cusparseMatDescr_t = struct cusparseMatDescr*;
using cusparseSpMatDescr_t = struct cusparseSpMatDescr*;
using cusparseDnMatDescr_t = struct cusparseDnMatDescr*;
using cusparseDnVecDescr_t = struct cusparseDnVecDescr*;
using cusparseSpVecDescr_t = struct cusparseSpVecDescr*;
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE };
enum cusparseIndexType_t { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I };
enum cusparseMatrixType_t { CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC };
enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1 = 2 };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_ALG_DEFAULT };
enum cusparseDenseToSparseAlg_t { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT };

#define cusparseCreate(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreate")
#define cusparseDestroy(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDestroy")
#define cusparseGetErrorName(...) LADDER_NO_LIBRARY(const char*, "cusparseGetErrorName")
#define cusparseGetErrorString(...) LADDER_NO_LIBRARY(const char*, "cusparseGetErrorString")
#define cusparseSetStream(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSetStream")
#define cusparseCreateCsr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateCsr")
#define cusparseCreateCoo(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateCoo")
#define cusparseCreateDnMat(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateDnMat")
#define cusparseCreateDnVec(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateDnVec")
#define cusparseDestroySpMat(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDestroySpMat")
#define cusparseDestroyDnMat(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDestroyDnMat")
#define cusparseDestroyDnVec(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDestroyDnVec")
#define cusparseSpMV(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMV")
#define cusparseSpMV_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMV_bufferSize")
#define cusparseSpMM(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMM")
#define cusparseSpMM_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMM_bufferSize")
#define cusparseSpSV_solve(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSV_solve")
#define cusparseSpGEMM_compute(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMM_compute")
#define cusparseDenseToSparse_convert(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDenseToSparse_convert")
#define cusparseDenseToSparse_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDenseToSparse_bufferSize")
#define cusparseDenseToSparse_analysis(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDenseToSparse_analysis")
#define cusparseCreateMatDescr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateMatDescr")
#define cusparseSetMatType(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSetMatType")
#define cusparseSetMatIndexBase(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSetMatIndexBase")
#define cusparseScsrmv(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseScsrmv")
#define cusparseDcsrmv(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDcsrmv")
#define cusparseSnnz(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSnnz")
#define cusparseSdense2csr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSdense2csr")
#define cusparseDestroyMatDescr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDestroyMatDescr")
