// cublasLt's products, as cuBLAS's are computed here: layouts by columns and by rows, batches, and what is done to the
// result on its way out: a bias for each row, relu, gelu. What it has besides is refused where it is asked for.
#pragma once

#include "cublas_v2.h"

enum cublasLtEpilogue_t { CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_BIAS = 4, CUBLASLT_EPILOGUE_RELU_BIAS = 6,
                          CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_BIAS = 36, CUBLASLT_EPILOGUE_RELU_AUX = 130, CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 134,
                          CUBLASLT_EPILOGUE_GELU_AUX = 160, CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164, CUBLASLT_EPILOGUE_DGELU = 192,
                          CUBLASLT_EPILOGUE_BGRADA = 256, CUBLASLT_EPILOGUE_BGRADB = 512 };
enum cublasLtMatmulDescAttributes_t { CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0, CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1, CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
    CUBLASLT_MATMUL_DESC_TRANSA = 3, CUBLASLT_MATMUL_DESC_TRANSB = 4, CUBLASLT_MATMUL_DESC_EPILOGUE = 7, CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26 };
enum cublasLtMatmulPreferenceAttributes_t { CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 };
enum cublasLtMatrixLayoutAttribute_t { CUBLASLT_MATRIX_LAYOUT_TYPE = 0, CUBLASLT_MATRIX_LAYOUT_ORDER = 1, CUBLASLT_MATRIX_LAYOUT_ROWS = 2,
    CUBLASLT_MATRIX_LAYOUT_COLS = 3, CUBLASLT_MATRIX_LAYOUT_LD = 4, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6 };
enum cublasLtOrder_t { CUBLASLT_ORDER_COL = 0, CUBLASLT_ORDER_ROW = 1 };
enum cublasLtPointerMode_t { CUBLASLT_POINTER_MODE_HOST = 0, CUBLASLT_POINTER_MODE_DEVICE = 1 };
struct cublasLtMatmulAlgo_t { unsigned long long data[8]; };
struct cublasLtMatmulHeuristicResult_t { cublasLtMatmulAlgo_t algo; std::size_t workspaceSize; cublasStatus_t state; float wavesCount; int reserved[4]; };

struct cublasLtMatmulDescOpaque_t {
    cublasComputeType_t compute;
    cudaDataType_t scale;
    int mode, turns[2], epilogue, bias_type;
    const void* bias;
};
struct cublasLtMatrixLayoutOpaque_t {
    cudaDataType_t type;
    int order;
    unsigned long long rows, cols;
    long long lead;
    int batches;
    long long stride;
};
using cublasLtHandle_t = ladder::Blas*;
using cublasLtMatmulDesc_t = cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = char*;

inline LADDER_UNSEEN cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return cublasCreate(handle); }
inline LADDER_UNSEEN cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return cublasDestroy(handle); }
inline LADDER_UNSEEN cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* to, cublasComputeType_t compute, cudaDataType_t scale) {
    *to = new cublasLtMatmulDescOpaque_t{compute, scale, 0, {CUBLAS_OP_N, CUBLAS_OP_N}, CUBLASLT_EPILOGUE_DEFAULT, -1, nullptr};
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t of) { return delete of, CUBLAS_STATUS_SUCCESS; }
inline LADDER_UNSEEN cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* to, cudaDataType_t type, unsigned long long rows, unsigned long long cols, long long lead) {
    *to = new cublasLtMatrixLayoutOpaque_t{type, CUBLASLT_ORDER_COL, rows, cols, lead, 1, 0};
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t of) { return delete of, CUBLAS_STATUS_SUCCESS; }
inline LADDER_UNSEEN cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* to) { return *to = new char, CUBLAS_STATUS_SUCCESS; }
inline LADDER_UNSEEN cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t of) { return delete of, CUBLAS_STATUS_SUCCESS; }
inline LADDER_UNSEEN cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void*, std::size_t) {
    return CUBLAS_STATUS_SUCCESS;
}

namespace ladder {

template <class T> LADDER_UNSEEN cublasStatus_t set(T& member, const void* from, std::size_t bytes) {
    if (bytes != sizeof(T) || !from) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(&member, from, sizeof(T));
    return CUBLAS_STATUS_SUCCESS;
}

using LtLayout = const cublasLtMatrixLayoutOpaque_t*;

// All of a matrix, column by column, however it lies.
inline LADDER_UNSEEN cublasStatus_t read_all(BlasCall& call, const void* from, LtLayout of, int batch, std::vector<double>& to) {
    const long rows = static_cast<long>(of->rows), columns = static_cast<long>(of->cols);
    return of_type(of->type, [&](auto* type) LADDER_UNSEEN {
        const auto* first = static_cast<const std::remove_pointer_t<decltype(type)>*>(from) + batch * of->stride;
        to = operand(call, of->order == CUBLASLT_ORDER_COL ? CUBLAS_OP_N : CUBLAS_OP_T, first, rows, columns, of->lead);
        return call.status();
    });
}
inline LADDER_UNSEEN cublasStatus_t write_all(BlasCall& call, void* to, LtLayout of, int batch, const std::vector<double>& all) {
    const long rows = static_cast<long>(of->rows), columns = static_cast<long>(of->cols);
    return of_type(of->type, [&](auto* type) LADDER_UNSEEN {
        auto* first = static_cast<decltype(type)>(to) + batch * of->stride;
        if (of->order == CUBLASLT_ORDER_COL) call.put(first, rows, columns, of->lead, all);
        else call.put(first, columns, rows, of->lead, turned(all, rows, columns));
        return call.status();
    });
}
inline LADDER_UNSEEN double let_out(double value, int epilogue) {
    if (epilogue & CUBLASLT_EPILOGUE_RELU) return value > 0 ? value : 0;
    if (epilogue & CUBLASLT_EPILOGUE_GELU) return 0.5 * value * (1 + std::tanh(0.7978845608028654 * (value + 0.044715 * value * value * value)));
    return value;
}

}  // namespace ladder

inline LADDER_UNSEEN cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t of, cublasLtMatmulDescAttributes_t which, const void* from, std::size_t bytes, LADDER_LINE) {
    switch (which) {
        case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return ladder::set(of->compute, from, bytes);
        case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return ladder::set(of->scale, from, bytes);
        case CUBLASLT_MATMUL_DESC_POINTER_MODE: return ladder::set(of->mode, from, bytes);
        case CUBLASLT_MATMUL_DESC_TRANSA: return ladder::set(of->turns[0], from, bytes);
        case CUBLASLT_MATMUL_DESC_TRANSB: return ladder::set(of->turns[1], from, bytes);
        case CUBLASLT_MATMUL_DESC_EPILOGUE: return ladder::set(of->epilogue, from, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return ladder::set(of->bias, from, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return ladder::set(of->bias_type, from, bytes);
        default: ladder_trap("this attribute of cublasLt's products is not emulated: check this program on a GPU", line);
    }
}
inline LADDER_UNSEEN cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t of, cublasLtMatrixLayoutAttribute_t which, const void* from, std::size_t bytes) {
    switch (which) {
        case CUBLASLT_MATRIX_LAYOUT_TYPE: return ladder::set(of->type, from, bytes);
        case CUBLASLT_MATRIX_LAYOUT_ORDER: return ladder::set(of->order, from, bytes);
        case CUBLASLT_MATRIX_LAYOUT_ROWS: return ladder::set(of->rows, from, bytes);
        case CUBLASLT_MATRIX_LAYOUT_COLS: return ladder::set(of->cols, from, bytes);
        case CUBLASLT_MATRIX_LAYOUT_LD: return ladder::set(of->lead, from, bytes);
        case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return ladder::set(of->batches, from, bytes);
        default: return ladder::set(of->stride, from, bytes);
    }
}
inline LADDER_UNSEEN cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                                   cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int most, cublasLtMatmulHeuristicResult_t* results, int* found) {
    if (most < 1) return CUBLAS_STATUS_INVALID_VALUE;
    results[0] = {};
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t how, const void* alpha, const void* a, cublasLtMatrixLayout_t of_a,
                                                   const void* b, cublasLtMatrixLayout_t of_b, const void* beta, const void* c, cublasLtMatrixLayout_t of_c, void* d,
                                                   cublasLtMatrixLayout_t of_d, const cublasLtMatmulAlgo_t*, void*, std::size_t, cudaStream_t stream, LADDER_LINE) {
    const auto is_known = [](int epilogue) { return !(epilogue & ~(CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU_BIAS | CUBLASLT_EPILOGUE_GELU)); };
    if (!is_known(how->epilogue) || how->compute == CUBLAS_COMPUTE_32I) ladder_trap("this product of cublasLt is not emulated: check this program on a GPU", line);
    const long m = static_cast<long>(of_d->rows), n = static_cast<long>(of_d->cols);
    const bool turns_a = how->turns[0] != CUBLAS_OP_N, turns_b = how->turns[1] != CUBLAS_OP_N;
    const long k = static_cast<long>(turns_a ? of_a->rows : of_a->cols);
    if (static_cast<long>(turns_a ? of_a->cols : of_a->rows) != m || static_cast<long>(turns_b ? of_b->cols : of_b->rows) != k
        || static_cast<long>(turns_b ? of_b->rows : of_b->cols) != n || static_cast<long>(of_c->rows) != m || static_cast<long>(of_c->cols) != n) return CUBLAS_STATUS_INVALID_VALUE;
    for (const auto* of : {of_a, of_b, of_c, of_d})
        if (of->lead < static_cast<long long>(of->order == CUBLASLT_ORDER_COL ? of->rows : of->cols)) return CUBLAS_STATUS_INVALID_VALUE;
    ladder::Blas on{stream, how->mode == CUBLASLT_POINTER_MODE_HOST ? CUBLAS_POINTER_MODE_HOST : CUBLAS_POINTER_MODE_DEVICE};
    ladder::BlasCall call(&on, line);
    double scale = 0, keep = 0;
    ladder::scalar_of(call, alpha, how->scale, scale), ladder::scalar_of(call, beta, how->scale, keep);
    for (int batch = 0; batch < of_d->batches && call.fine(); ++batch) {
        std::vector<double> left, right, sum(static_cast<std::size_t>(m * n));
        if (keep != 0)
            if (const auto error = ladder::read_all(call, c, of_c, batch, sum)) return error;
        for (double& each : sum) each *= keep;
        if (const auto error = ladder::read_all(call, a, of_a, batch, left)) return error;
        if (const auto error = ladder::read_all(call, b, of_b, batch, right)) return error;
        if (turns_a) left = ladder::turned(left, k, m);
        if (turns_b) right = ladder::turned(right, n, k);
        ladder::multiply(sum, left, right, m, n, k, scale);
        std::vector<double> bias(static_cast<std::size_t>(m));
        const cublasLtMatrixLayoutOpaque_t of_bias{how->bias_type < 0 ? of_d->type : static_cast<cudaDataType_t>(how->bias_type), CUBLASLT_ORDER_COL, of_d->rows, 1, m, 1, 0};
        if (how->epilogue & CUBLASLT_EPILOGUE_BIAS)
            if (const auto error = ladder::read_all(call, how->bias, &of_bias, 0, bias)) return error;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = ladder::let_out(sum[i] + bias[i % static_cast<std::size_t>(m)], how->epilogue);
        if (const auto error = ladder::write_all(call, d, of_d, batch, sum)) return error;
    }
    return call.status();
}
