// cuSPARSE: types, and functions that are refused where they are called.
#pragma once

#define CUSPARSEAPI

#include "ladder_program.h"
#include "library_types.h"

enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE,
                        CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_MAPPING_ERROR, CUSPARSE_STATUS_EXECUTION_FAILED, CUSPARSE_STATUS_INTERNAL_ERROR,
                        CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, CUSPARSE_STATUS_ZERO_PIVOT, CUSPARSE_STATUS_NOT_SUPPORTED,
                        CUSPARSE_STATUS_INSUFFICIENT_RESOURCES };
using cusparseHandle_t = struct cusparseContext*;
using cusparseMatDescr_t = struct cusparseMatDescr*;
using cusparseSpMatDescr_t = struct cusparseSpMatDescr*;
using cusparseDnMatDescr_t = struct cusparseDnMatDescr*;
using cusparseDnVecDescr_t = struct cusparseDnVecDescr*;
using cusparseSpVecDescr_t = struct cusparseSpVecDescr*;
using cusparseSpGEMMDescr_t = struct cusparseSpGEMMDescr*;
using cusparseSpSVDescr_t = struct cusparseSpSVDescr*;
using cusparseSpSMDescr_t = struct cusparseSpSMDescr*;
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE };
enum cusparseAction_t { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC };
enum cusparseDirection_t { CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN };
enum cusparseFillMode_t { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER };
enum cusparseDiagType_t { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT };
enum cusparsePointerMode_t { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE };
enum cusparseSpMatAttribute_t { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE };
enum cusparseIndexType_t { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I };
enum cusparseMatrixType_t { CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC };
enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMV_COO_ALG2 };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1 = 4, CUSPARSE_SPMM_CSR_ALG2 = 6, CUSPARSE_SPMM_CSR_ALG3 = 12 };
enum cusparseSpGEMMAlg_t { CUSPARSE_SPGEMM_DEFAULT, CUSPARSE_SPGEMM_ALG1 = 3, CUSPARSE_SPGEMM_ALG2, CUSPARSE_SPGEMM_ALG3 };
enum cusparseSpSVAlg_t { CUSPARSE_SPSV_ALG_DEFAULT };
enum cusparseSpSMAlg_t { CUSPARSE_SPSM_ALG_DEFAULT };
enum cusparseSDDMMAlg_t { CUSPARSE_SDDMM_ALG_DEFAULT };
enum cusparseSparseToDenseAlg_t { CUSPARSE_SPARSETODENSE_ALG_DEFAULT };
enum cusparseDenseToSparseAlg_t { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT };
enum cusparseCsr2CscAlg_t { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1 };

inline const char* cusparseGetErrorName(cusparseStatus_t status) { return status == CUSPARSE_STATUS_SUCCESS ? "CUSPARSE_STATUS_SUCCESS" : "a cusparseStatus_t"; }
inline const char* cusparseGetErrorString(cusparseStatus_t status) { return status == CUSPARSE_STATUS_SUCCESS ? "success" : "an error"; }

#define cusparseCreate(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreate")
#define cusparseDestroy(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDestroy")
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
#define cusparseSetPointerMode(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSetPointerMode")
#define cusparseGetVersion(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseGetVersion")
#define cusparseCreateCsc(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateCsc")
#define cusparseCreateBlockedEll(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateBlockedEll")
#define cusparseCreateSpVec(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateSpVec")
#define cusparseDestroySpVec(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDestroySpVec")
#define cusparseCsrSetPointers(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCsrSetPointers")
#define cusparseCooSetPointers(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCooSetPointers")
#define cusparseSpMatGetSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMatGetSize")
#define cusparseSpMatGetValues(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMatGetValues")
#define cusparseSpMatSetValues(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMatSetValues")
#define cusparseSpMatSetAttribute(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMatSetAttribute")
#define cusparseDnMatGetValues(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDnMatGetValues")
#define cusparseDnVecGetValues(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDnVecGetValues")
#define cusparseDnVecSetValues(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDnVecSetValues")
#define cusparseAxpby(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseAxpby")
#define cusparseGather(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseGather")
#define cusparseScatter(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseScatter")
#define cusparseRot(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseRot")
#define cusparseSpVV(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpVV")
#define cusparseSpVV_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpVV_bufferSize")
#define cusparseSpMV_preprocess(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMV_preprocess")
#define cusparseSpMM_preprocess(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMM_preprocess")
#define cusparseSDDMM(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSDDMM")
#define cusparseSDDMM_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSDDMM_bufferSize")
#define cusparseSDDMM_preprocess(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSDDMM_preprocess")
#define cusparseSpSV_createDescr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSV_createDescr")
#define cusparseSpSV_destroyDescr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSV_destroyDescr")
#define cusparseSpSV_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSV_bufferSize")
#define cusparseSpSV_analysis(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSV_analysis")
#define cusparseSpSM_createDescr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSM_createDescr")
#define cusparseSpSM_destroyDescr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSM_destroyDescr")
#define cusparseSpSM_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSM_bufferSize")
#define cusparseSpSM_analysis(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSM_analysis")
#define cusparseSpSM_solve(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpSM_solve")
#define cusparseSpGEMM_createDescr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMM_createDescr")
#define cusparseSpGEMM_destroyDescr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMM_destroyDescr")
#define cusparseSpGEMM_workEstimation(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMM_workEstimation")
#define cusparseSpGEMM_copy(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMM_copy")
#define cusparseSpGEMMreuse_workEstimation(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMMreuse_workEstimation")
#define cusparseSpGEMMreuse_nnz(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMMreuse_nnz")
#define cusparseSpGEMMreuse_copy(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMMreuse_copy")
#define cusparseSpGEMMreuse_compute(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpGEMMreuse_compute")
#define cusparseSparseToDense(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSparseToDense")
#define cusparseSparseToDense_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSparseToDense_bufferSize")
#define cusparseCsr2cscEx2(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCsr2cscEx2")
#define cusparseCsr2cscEx2_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCsr2cscEx2_bufferSize")
#define cusparseXcoo2csr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseXcoo2csr")
#define cusparseXcsr2coo(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseXcsr2coo")
#define cusparseSetMatFillMode(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSetMatFillMode")
#define cusparseSetMatDiagType(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSetMatDiagType")
#define cusparseDnnz(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDnnz")
#define cusparseDdense2csr(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDdense2csr")
#define cusparseScsr2dense(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseScsr2dense")
#define cusparseDcsr2dense(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDcsr2dense")
#define cusparseScsrmm(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseScsrmm")
#define cusparseDcsrmm(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDcsrmm")
#define cusparseSgtsv2(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSgtsv2")
#define cusparseDgtsv2(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDgtsv2")
#define cusparseSgtsv2_bufferSizeExt(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSgtsv2_bufferSizeExt")
#define cusparseDgtsv2_bufferSizeExt(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDgtsv2_bufferSizeExt")
#define cusparseSgtsv2StridedBatch(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSgtsv2StridedBatch")
#define cusparseDgtsv2StridedBatch(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDgtsv2StridedBatch")
