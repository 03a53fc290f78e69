// cublasLt: types, and functions that are refused where they are called.
#pragma once

#include "cublas_v2.h"

using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque_t*;
struct cublasLtMatmulAlgo_t { unsigned long long data[8]; };
struct cublasLtMatmulHeuristicResult_t { cublasLtMatmulAlgo_t algo; std::size_t workspaceSize; cublasStatus_t state; float wavesCount; int reserved[4]; };
enum cublasLtEpilogue_t { CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_BIAS = 4, CUBLASLT_EPILOGUE_GELU = 32,
                          CUBLASLT_EPILOGUE_GELU_AUX = 160, CUBLASLT_EPILOGUE_GELU_BIAS = 36, CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164,
                          CUBLASLT_EPILOGUE_DGELU = 192, CUBLASLT_EPILOGUE_BGRADB = 512 };
enum cublasLtMatmulDescAttributes_t { CUBLASLT_MATMUL_DESC_TRANSA = 3, CUBLASLT_MATMUL_DESC_TRANSB = 4, CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12,
    CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26 };
enum cublasLtMatmulPreferenceAttributes_t { CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 };
enum cublasLtMatrixLayoutAttribute_t { CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6 };

#define cublasLtMatmul(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatmul")
#define cublasLtMatmulAlgoGetHeuristic(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatmulAlgoGetHeuristic")
#define cublasLtMatmulDescSetAttribute(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatmulDescSetAttribute")
#define cublasLtMatmulPreferenceSetAttribute(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatmulPreferenceSetAttribute")
#define cublasLtMatrixLayoutSetAttribute(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatrixLayoutSetAttribute")
#define cublasLtMatmulDescCreate(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatmulDescCreate")
#define cublasLtMatrixLayoutCreate(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatrixLayoutCreate")
#define cublasLtMatmulPreferenceCreate(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatmulPreferenceCreate")
#define cublasLtMatmulDescDestroy(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatmulDescDestroy")
#define cublasLtMatrixLayoutDestroy(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatrixLayoutDestroy")
#define cublasLtMatmulPreferenceDestroy(...) LADDER_NO_LIBRARY(cublasStatus_t, "cublasLtMatmulPreferenceDestroy")
inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return *handle = nullptr, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }
