// cuSPARSE: products of sparse matrices with dense ones (ladder_more/sparse.h); the others are refused where they are called.
#pragma once

#define CUSPARSEAPI

#include "ladder_program.h"
#include "ladder_more/sparse.h"
#include "library_types.h"

enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE,
                        CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_MAPPING_ERROR, CUSPARSE_STATUS_EXECUTION_FAILED, CUSPARSE_STATUS_INTERNAL_ERROR,
                        CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, CUSPARSE_STATUS_ZERO_PIVOT, CUSPARSE_STATUS_NOT_SUPPORTED,
                        CUSPARSE_STATUS_INSUFFICIENT_RESOURCES };
using cusparseHandle_t = ladder::Sparse*;
using cusparseMatDescr_t = struct cusparseMatDescr*;
using cusparseSpMatDescr_t = ladder::SparseMatrix*;
using cusparseConstSpMatDescr_t = const ladder::SparseMatrix*;
using cusparseDnMatDescr_t = ladder::DenseMatrix*;
using cusparseConstDnMatDescr_t = const ladder::DenseMatrix*;
struct cusparseDnVecDescr : ladder::DenseMatrix {};   // of one column
using cusparseDnVecDescr_t = cusparseDnVecDescr*;
using cusparseConstDnVecDescr_t = const cusparseDnVecDescr*;
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

#define LADDER_SPARSE inline LADDER_UNSEEN cusparseStatus_t

LADDER_SPARSE cusparseCreate(cusparseHandle_t* handle) { return *handle = new ladder::Sparse, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseDestroy(cusparseHandle_t handle) { return delete handle, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) { return handle->stream = stream, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) { return *stream = handle->stream, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
    handle->mode = mode == CUSPARSE_POINTER_MODE_HOST ? CUBLAS_POINTER_MODE_HOST : CUBLAS_POINTER_MODE_DEVICE;
    return CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseGetVersion(cusparseHandle_t, int* version) { return *version = 12600, CUSPARSE_STATUS_SUCCESS; }

// ---- what a matrix or vector is ----

#define LADDER_SPARSE_MATRIX(form, Kind, Const, Void)                                                                                               \
    LADDER_SPARSE cusparseCreate##Const##form(Kind* made, long long rows, long long columns, long long count, Void* offsets, Void* indices,         \
                                              Void* values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,                        \
                                              cusparseIndexBase_t base, cudaDataType type) {                                                        \
        if (rows < 0 || columns < 0 || count < 0) return CUSPARSE_STATUS_INVALID_VALUE;                                                             \
        if (!ladder::is_real(type) || offset_type == CUSPARSE_INDEX_16U || index_type == CUSPARSE_INDEX_16U) return CUSPARSE_STATUS_NOT_SUPPORTED;  \
        *made = new ladder::SparseMatrix{ladder::SparseForm::form, rows, columns, count, offsets, indices, const_cast<void*>(values), offset_type,  \
                                         index_type, base, type};                                                                                   \
        return CUSPARSE_STATUS_SUCCESS;                                                                                                             \
    }
LADDER_SPARSE_MATRIX(Csr, cusparseSpMatDescr_t, , void)
LADDER_SPARSE_MATRIX(Csr, cusparseConstSpMatDescr_t, Const, const void)
LADDER_SPARSE_MATRIX(Csc, cusparseSpMatDescr_t, , void)
LADDER_SPARSE_MATRIX(Csc, cusparseConstSpMatDescr_t, Const, const void)
#undef LADDER_SPARSE_MATRIX
LADDER_SPARSE cusparseCreateCoo(cusparseSpMatDescr_t* made, long long rows, long long columns, long long count, void* row_indices, void* indices, void* values,
                                cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    const cusparseStatus_t status = cusparseCreateCsr(made, rows, columns, count, row_indices, indices, values, index_type, index_type, base, type);
    if (!status) (*made)->form = ladder::SparseForm::Coo;
    return status;
}
LADDER_SPARSE cusparseCreateDnVec(cusparseDnVecDescr_t* made, long long size, void* values, cudaDataType type) {
    if (!ladder::is_real(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return *made = new cusparseDnVecDescr{{size, 1, size, values, type, false}}, CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* made, long long size, const void* values, cudaDataType type) {
    return cusparseCreateDnVec(const_cast<cusparseDnVecDescr_t*>(made), size, const_cast<void*>(values), type);
}
LADDER_SPARSE cusparseCreateDnMat(cusparseDnMatDescr_t* made, long long rows, long long columns, long long lead, void* values, cudaDataType type,
                                  cusparseOrder_t order) {
    if (lead < (order == CUSPARSE_ORDER_ROW ? columns : rows)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!ladder::is_real(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return *made = new ladder::DenseMatrix{rows, columns, lead, values, type, order == CUSPARSE_ORDER_ROW}, CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* made, long long rows, long long columns, long long lead, const void* values,
                                       cudaDataType type, cusparseOrder_t order) {
    return cusparseCreateDnMat(const_cast<cusparseDnMatDescr_t*>(made), rows, columns, lead, const_cast<void*>(values), type, order);
}
LADDER_SPARSE cusparseDestroySpMat(cusparseConstSpMatDescr_t m) { return delete m, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseDestroyDnMat(cusparseConstDnMatDescr_t m) { return delete m, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseDestroyDnVec(cusparseConstDnVecDescr_t v) { return delete v, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t* rows, int64_t* columns, int64_t* count) {
    return *rows = m->rows, *columns = m->columns, *count = m->count, CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseSpMatSetValues(cusparseSpMatDescr_t m, void* values) { return m->values = values, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseCsrSetPointers(cusparseSpMatDescr_t m, void* offsets, void* indices, void* values) {
    return m->offsets = offsets, m->indices = indices, m->values = values, CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseDnVecSetValues(cusparseDnVecDescr_t v, void* values) { return v->values = values, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseDnVecGetValues(cusparseDnVecDescr_t v, void** values) { return *values = v->values, CUSPARSE_STATUS_SUCCESS; }
LADDER_SPARSE cusparseDnMatGetValues(cusparseDnMatDescr_t m, void** values) { return *values = m->values, CUSPARSE_STATUS_SUCCESS; }

// ---- products: their buffers are not used ----

LADDER_SPARSE ladder_sparse(cusparseHandle_t handle, cusparseOperation_t a_op, cusparseOperation_t b_op, const void* alpha, cusparseConstSpMatDescr_t a,
                            cusparseConstDnMatDescr_t b, const void* beta, cusparseConstDnMatDescr_t c, cudaDataType type, int line) {
    if (!handle) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!a || !b || !c || !alpha || !beta) return CUSPARSE_STATUS_INVALID_VALUE;
    ladder::BlasCall call(handle, line);
    if (!ladder::sparse_product(call, a_op, b_op, alpha, *a, *b, beta, *c, type, line)) return CUSPARSE_STATUS_INVALID_VALUE;
    return call.fine() ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}
LADDER_SPARSE cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                      cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, std::size_t* bytes) {
    return *bytes = 8, CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                      cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*) {
    return CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                           const void* beta, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t, void*, LADDER_LINE) {
    return ladder_sparse(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, x, beta, y, type, line);
}
LADDER_SPARSE cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                      cusparseConstDnMatDescr_t, const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, std::size_t* bytes) {
    return *bytes = 8, CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                      cusparseConstDnMatDescr_t, const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, void*) {
    return CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t a_op, cusparseOperation_t b_op, const void* alpha, cusparseConstSpMatDescr_t a,
                           cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t, void*, LADDER_LINE) {
    return ladder_sparse(handle, a_op, b_op, alpha, a, b, beta, c, type, line);
}
LADDER_SPARSE cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t, cusparseDnMatDescr_t, cusparseSparseToDenseAlg_t,
                                               std::size_t* bytes) {
    return *bytes = 8, CUSPARSE_STATUS_SUCCESS;
}
LADDER_SPARSE cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t to, cusparseSparseToDenseAlg_t, void*,
                                    LADDER_LINE) {
    if (!handle) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a->rows != to->rows || a->columns != to->columns) return CUSPARSE_STATUS_INVALID_VALUE;
    ladder::BlasCall call(handle, line);
    std::vector<double> all(static_cast<std::size_t>(a->rows * a->columns));
    for (const ladder::SparseElement& each : ladder::sparse_elements(call, *a, line))
        all[static_cast<std::size_t>(each.column * a->rows + each.row)] = each.value;
    ladder::put_dense(call, *to, all);
    return call.fine() ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}
#undef LADDER_SPARSE

// ---- what is not there ----

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
#define cusparseCreateBlockedEll(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateBlockedEll")
#define cusparseCreateSpVec(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCreateSpVec")
#define cusparseDestroySpVec(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseDestroySpVec")
#define cusparseCooSetPointers(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseCooSetPointers")
#define cusparseSpMatGetValues(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMatGetValues")
#define cusparseSpMatSetAttribute(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpMatSetAttribute")
#define cusparseAxpby(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseAxpby")
#define cusparseGather(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseGather")
#define cusparseScatter(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseScatter")
#define cusparseRot(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseRot")
#define cusparseSpVV(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpVV")
#define cusparseSpVV_bufferSize(...) LADDER_NO_LIBRARY(cusparseStatus_t, "cusparseSpVV_bufferSize")
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
