// cuBLAS: the functions that programs use most, computed plainly (ladder_more/blas.h); the others are refused by name.
#pragma once

#define CUBLAS_API_H_
#define CUBLAS_V2_H_

#include "ladder_more/blas.h"
#include "ladder_more/blas_refused.h"
#include "cuComplex.h"
#include "library_types.h"

enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasMath_t { CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3 };
enum cublasGemmAlgo_t {   // all compute the same here
    CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO1, CUBLAS_GEMM_ALGO2, CUBLAS_GEMM_ALGO3,
    CUBLAS_GEMM_ALGO4, CUBLAS_GEMM_ALGO5, CUBLAS_GEMM_ALGO6, CUBLAS_GEMM_ALGO7, CUBLAS_GEMM_ALGO8, CUBLAS_GEMM_ALGO9, CUBLAS_GEMM_ALGO10,
    CUBLAS_GEMM_ALGO11, CUBLAS_GEMM_ALGO12, CUBLAS_GEMM_ALGO13, CUBLAS_GEMM_ALGO14, CUBLAS_GEMM_ALGO15, CUBLAS_GEMM_ALGO16, CUBLAS_GEMM_ALGO17,
    CUBLAS_GEMM_ALGO18, CUBLAS_GEMM_ALGO19, CUBLAS_GEMM_ALGO20, CUBLAS_GEMM_ALGO21, CUBLAS_GEMM_ALGO22, CUBLAS_GEMM_ALGO23,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_ALGO0_TENSOR_OP = 100, CUBLAS_GEMM_ALGO1_TENSOR_OP,
    CUBLAS_GEMM_ALGO2_TENSOR_OP, CUBLAS_GEMM_ALGO3_TENSOR_OP, CUBLAS_GEMM_ALGO4_TENSOR_OP, CUBLAS_GEMM_ALGO5_TENSOR_OP,
    CUBLAS_GEMM_ALGO6_TENSOR_OP, CUBLAS_GEMM_ALGO7_TENSOR_OP, CUBLAS_GEMM_ALGO8_TENSOR_OP, CUBLAS_GEMM_ALGO9_TENSOR_OP,
    CUBLAS_GEMM_ALGO10_TENSOR_OP, CUBLAS_GEMM_ALGO11_TENSOR_OP, CUBLAS_GEMM_ALGO12_TENSOR_OP, CUBLAS_GEMM_ALGO13_TENSOR_OP,
    CUBLAS_GEMM_ALGO14_TENSOR_OP, CUBLAS_GEMM_ALGO15_TENSOR_OP,
};
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77, CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC = 73,
};

// ---- the handle ----

inline LADDER_UNSEEN cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    *handle = new ladder::Blas;
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
inline LADDER_UNSEEN cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
    *stream = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    handle->mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
    *mode = handle->mode;
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t* mode) {
    *mode = CUBLAS_DEFAULT_MATH;
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
inline LADDER_UNSEEN cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, std::size_t) { return CUBLAS_STATUS_SUCCESS; }
inline LADDER_UNSEEN cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
    *version = 130000;
    return CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN std::size_t cublasGetCudartVersion() { return 13000; }
inline LADDER_UNSEEN const char* cublasGetStatusString(cublasStatus_t status) { return status ? "cuBLAS reports an error" : "success"; }
inline LADDER_UNSEEN const char* cublasGetStatusName(cublasStatus_t status) { return status ? "CUBLAS_STATUS_ERROR" : "CUBLAS_STATUS_SUCCESS"; }

// ---- vectors and matrices between host and device ----

inline LADDER_UNSEEN cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void* a, int lda, void* b, int ldb, LADDER_LINE) {
    const auto bytes = static_cast<std::size_t>(size);
    return ladder::copy_rows(b, static_cast<std::size_t>(ldb) * bytes, a, static_cast<std::size_t>(lda) * bytes, static_cast<std::size_t>(rows) * bytes,
                             static_cast<std::size_t>(columns), cudaMemcpyHostToDevice, line) ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void* a, int lda, void* b, int ldb, LADDER_LINE) {
    ladder_host_waits_for_all();
    const auto bytes = static_cast<std::size_t>(size);
    return ladder::copy_rows(b, static_cast<std::size_t>(ldb) * bytes, a, static_cast<std::size_t>(lda) * bytes, static_cast<std::size_t>(rows) * bytes,
                             static_cast<std::size_t>(columns), cudaMemcpyDeviceToHost, line) ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}
inline LADDER_UNSEEN cublasStatus_t cublasSetVector(int n, int size, const void* x, int step_x, void* y, int step_y, LADDER_LINE) {
    return cublasSetMatrix(1, n, size, x, step_x, y, step_y, line);
}
inline LADDER_UNSEEN cublasStatus_t cublasGetVector(int n, int size, const void* x, int step_x, void* y, int step_y, LADDER_LINE) {
    return cublasGetMatrix(1, n, size, x, step_x, y, step_y, line);
}

// ---- for float (S) and double (D) ----

#define LADDER_BLAS(X, x, T)                                                                                                                    \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##axpy(cublasHandle_t h, int n, const T* alpha, const T* a, int step_a, T* b, int step_b, LADDER_LINE) { \
        ladder::BlasCall call(h, line);                                                                                                         \
        const double scale = call.scalar(alpha);                                                                                                \
        const auto from = call.get_vector(a, n, step_a);                                                                                        \
        auto to = call.get_vector(b, n, step_b);                                                                                                \
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += scale * from[i];                                                                   \
        call.put_vector(b, n, step_b, to);                                                                                                      \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##scal(cublasHandle_t h, int n, const T* alpha, T* a, int step, LADDER_LINE) {                 \
        ladder::BlasCall call(h, line);                                                                                                         \
        const double scale = call.scalar(alpha);                                                                                                \
        auto all = call.get_vector(a, n, step);                                                                                                 \
        for (double& each : all) each *= scale;                                                                                                 \
        call.put_vector(a, n, step, all);                                                                                                       \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##copy(cublasHandle_t h, int n, const T* a, int step_a, T* b, int step_b, LADDER_LINE) {       \
        ladder::BlasCall call(h, line);                                                                                                         \
        call.put_vector(b, n, step_b, call.get_vector(a, n, step_a));                                                                           \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##dot(cublasHandle_t h, int n, const T* a, int step_a, const T* b, int step_b, T* result, LADDER_LINE) { \
        ladder::BlasCall call(h, line);                                                                                                         \
        const auto left = call.get_vector(a, n, step_a), right = call.get_vector(b, n, step_b);                                                 \
        double sum = 0;                                                                                                                         \
        for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] * right[i];                                                                \
        call.answer(result, sum);                                                                                                               \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##nrm2(cublasHandle_t h, int n, const T* a, int step, T* result, LADDER_LINE) {                \
        ladder::BlasCall call(h, line);                                                                                                         \
        double sum = 0;                                                                                                                         \
        for (const double each : call.get_vector(a, n, step)) sum += each * each;                                                               \
        call.answer(result, std::sqrt(sum));                                                                                                    \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##asum(cublasHandle_t h, int n, const T* a, int step, T* result, LADDER_LINE) {                \
        ladder::BlasCall call(h, line);                                                                                                         \
        double sum = 0;                                                                                                                         \
        for (const double each : call.get_vector(a, n, step)) sum += std::fabs(each);                                                           \
        call.answer(result, sum);                                                                                                               \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublasI##x##amax(cublasHandle_t h, int n, const T* a, int step, int* result, LADDER_LINE) {             \
        return ladder::position(h, n, a, step, result, std::greater<>(), line);                                                                 \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T* alpha, const T* a, int lda, \
                                                        const T* v, int step_v, const T* beta, T* y, int step_y, LADDER_LINE) {                 \
        ladder::BlasCall call(h, line);                                                                                                         \
        if (ladder::is_refused({{"A", m, lda}}, line)) return CUBLAS_STATUS_INVALID_VALUE;                                                      \
        const long rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;                                                       \
        const double scale = call.scalar(alpha), keep = call.scalar(beta);                                                                      \
        std::vector<double> sum(static_cast<std::size_t>(rows));                                                                                \
        if (keep != 0) sum = call.get_vector(y, rows, step_y);                                                                                  \
        for (double& each : sum) each *= keep;                                                                                                  \
        const auto matrix = ladder::operand(call, op, a, rows, columns, lda);                                                                   \
        const auto vector = call.get_vector(v, columns, step_v);                                                                                \
        if (call.fine()) ladder::multiply(sum, matrix, vector, rows, 1, columns, scale);                                                        \
        call.put_vector(y, rows, step_y, sum);                                                                                                  \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, const T* alpha, \
                                                        const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc, LADDER_LINE) {  \
        ladder::BlasCall call(h, line);                                                                                                         \
        if (ladder::is_refused({{"A", ta == CUBLAS_OP_N ? m : n, lda}, {"B", tb == CUBLAS_OP_N ? m : n, ldb}, {"C", m, ldc}}, line))            \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                                                 \
        const double scale = call.scalar(alpha), other = call.scalar(beta);                                                                     \
        std::vector<double> sum(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));                                                     \
        const auto left = scale != 0 ? ladder::operand(call, ta, a, m, n, lda) : sum, right = other != 0 ? ladder::operand(call, tb, b, m, n, ldb) : sum; \
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = scale * left[i] + other * right[i];                                               \
        call.put(c, m, n, ldc, sum);                                                                                                            \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    LADDER_GEMM(X##gemm, T)

#define LADDER_GEMM(name, T)                                                                                                                    \
    inline LADDER_UNSEEN cublasStatus_t cublas##name(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T* alpha, \
                                                     const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc, LADDER_LINE) {     \
        return ladder::gemm(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, line);                                                     \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##name##StridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
                                                                     const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb, \
                                                                     long long stride_b, const T* beta, T* c, int ldc, long long stride_c,     \
                                                                     int count, LADDER_LINE) {                                                  \
        for (int i = 0; i < count; ++i)                                                                                                         \
            if (const auto error = ladder::gemm(h, ta, tb, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb, beta, c + i * stride_c, ldc, line)) \
                return error;                                                                                                                   \
        return CUBLAS_STATUS_SUCCESS;                                                                                                           \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##name##Batched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
                                                              const T* alpha, const T* const a[], int lda, const T* const b[], int ldb, const T* beta, \
                                                              T* const c[], int ldc, int count, LADDER_LINE) {                                  \
        for (int i = 0; i < count; ++i) {                                                                                                       \
            void* of[3];                                                                                                                        \
            if (!ladder::get_pointers(of, a + i, b + i, c + i, line)) return CUBLAS_STATUS_EXECUTION_FAILED;                                    \
            const auto error = ladder::gemm(h, ta, tb, m, n, k, alpha, static_cast<const T*>(of[0]), lda, static_cast<const T*>(of[1]), ldb, beta, \
                                            static_cast<T*>(of[2]), ldc, line);                                                                 \
            if (error) return error;                                                                                                            \
        }                                                                                                                                       \
        return CUBLAS_STATUS_SUCCESS;                                                                                                           \
    }

LADDER_BLAS(S, s, float)
LADDER_BLAS(D, d, double)
LADDER_GEMM(Hgemm, __half)
#undef LADDER_BLAS
#undef LADDER_GEMM

// ---- cublasGemmEx: float, double, half and bfloat16, and bytes with sums of 32 bits; of the others, sums are never kept in less than float ----

namespace ladder {

template <class S>
LADDER_UNSEEN cublasStatus_t gemm_of_types(Blas* h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void* alpha, const void* a,
                                           cudaDataType_t type_a, int lda, const void* b, int ldb, const void* beta, void* c, cudaDataType_t type_c, int ldc,
                                           int line) {
    const auto of_c = [&](auto* left, auto* right) LADDER_UNSEEN {
        const auto go = [&](auto* to) LADDER_UNSEEN {
            return gemm(h, ta, tb, m, n, k, static_cast<const S*>(alpha), left, lda, right, ldb, static_cast<const S*>(beta), to, ldc, line);
        };
        switch (type_c) {
            case CUDA_R_32F: return go(static_cast<float*>(c));
            case CUDA_R_64F: return go(static_cast<double*>(c));
            case CUDA_R_16F: return go(static_cast<__half*>(c));
            case CUDA_R_16BF: return go(static_cast<__nv_bfloat16*>(c));
            default: ladder_trap("cublasGemmEx is emulated for float, double, half and bfloat16 only", line);
        }
    };
    switch (type_a) {
        case CUDA_R_32F: return of_c(static_cast<const float*>(a), static_cast<const float*>(b));
        case CUDA_R_64F: return of_c(static_cast<const double*>(a), static_cast<const double*>(b));
        case CUDA_R_16F: return of_c(static_cast<const __half*>(a), static_cast<const __half*>(b));
        case CUDA_R_16BF: return of_c(static_cast<const __nv_bfloat16*>(a), static_cast<const __nv_bfloat16*>(b));
        default: ladder_trap("cublasGemmEx is emulated for float, double, half and bfloat16 only", line);
    }
}

}  // namespace ladder

inline LADDER_UNSEEN cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void* alpha,
                                                 const void* a, cudaDataType_t type_a, int lda, const void* b, cudaDataType_t type_b, int ldb,
                                                 const void* beta, void* c, cudaDataType_t type_c, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t,
                                                 LADDER_LINE) {
    if (type_a != type_b) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (compute == CUBLAS_COMPUTE_16F) return ladder::gemm_of_types<__half>(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, ldb, beta, c, type_c, ldc, line);
    if (compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC) {
        if (type_a != CUDA_R_8I || type_c != CUDA_R_32I) return CUBLAS_STATUS_NOT_SUPPORTED;
        return ladder::gemm(h, ta, tb, m, n, k, static_cast<const int*>(alpha), static_cast<const signed char*>(a), lda, static_cast<const signed char*>(b),
                            ldb, static_cast<const int*>(beta), static_cast<int*>(c), ldc, line);
    }
    if (compute == CUBLAS_COMPUTE_64F) return ladder::gemm_of_types<double>(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, ldb, beta, c, type_c, ldc, line);
    return ladder::gemm_of_types<float>(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, ldb, beta, c, type_c, ldc, line);
}

// As it was called before CUDA 11, with the type that sums have.
using cublasDataType_t = cudaDataType_t;
inline LADDER_UNSEEN cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void* alpha,
                                                 const void* a, cudaDataType_t type_a, int lda, const void* b, cudaDataType_t type_b, int ldb,
                                                 const void* beta, void* c, cudaDataType_t type_c, int ldc, cudaDataType_t sums,
                                                 cublasGemmAlgo_t algorithm, LADDER_LINE) {
    const auto compute = sums == CUDA_R_16F ? CUBLAS_COMPUTE_16F : sums == CUDA_R_64F ? CUBLAS_COMPUTE_64F : sums == CUDA_R_32I ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F;
    return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, compute, algorithm, line);
}

#include "ladder_more/blas_more.h"
#include "ladder_more/blas_types.h"
#include "ladder_more/blas_triangles.h"
