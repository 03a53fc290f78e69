// More of cuBLAS, as ladder_more/blas.h computes: vectors that are swapped or turned, the smallest element, products of two
// vectors, and batches of matrices of the types that cublasGemmEx takes.
#pragma once

#include <functional>

namespace ladder {

template <class T>
LADDER_UNSEEN cublasStatus_t rotate(BlasCall& call, int n, T* a, int step_a, T* b, int step_b, double c, double s) {
    auto left = call.get_vector(a, n, step_a), right = call.get_vector(b, n, step_b);
    for (std::size_t i = 0; i < left.size(); ++i) {
        const double was = left[i];
        left[i] = c * was + s * right[i];
        right[i] = c * right[i] - s * was;
    }
    call.put_vector(a, n, step_a, left);
    call.put_vector(b, n, step_b, right);
    return call.status();
}

// A += alpha x y', of m rows and n columns.
template <class T>
LADDER_UNSEEN cublasStatus_t add_product(Blas* handle, int m, int n, const T* alpha, const T* x, int step_x, const T* y, int step_y, T* a, int lda, int line) {
    BlasCall call(handle, line);
    if (n < 0 || step_x == 0 || step_y == 0 || is_refused({{"A", m, lda}}, line)) return CUBLAS_STATUS_INVALID_VALUE;
    const double scale = call.scalar(alpha);
    auto sum = call.get(a, m, n, lda);
    const auto rows = call.get_vector(x, m, step_x), columns = call.get_vector(y, n, step_y);
    if (call.fine()) multiply(sum, rows, columns, m, n, 1, scale);
    call.put(a, m, n, lda, sum);
    return call.status();
}

inline LADDER_UNSEEN long long bytes_of(cudaDataType_t type) {
    switch (type) {
        case CUDA_R_64F: return 8;
        case CUDA_R_16F: case CUDA_R_16BF: return 2;
        case CUDA_R_8I: return 1;
        default: return 4;
    }
}

}  // namespace ladder

#define LADDER_MORE_BLAS(X, x, T)                                                                                                               \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##swap(cublasHandle_t h, int n, T* a, int step_a, T* b, int step_b, LADDER_LINE) {             \
        ladder::BlasCall call(h, line);                                                                                                         \
        const auto left = call.get_vector(a, n, step_a), right = call.get_vector(b, n, step_b);                                                 \
        call.put_vector(a, n, step_a, right);                                                                                                   \
        call.put_vector(b, n, step_b, left);                                                                                                    \
        return call.status();                                                                                                                   \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##rot(cublasHandle_t h, int n, T* a, int step_a, T* b, int step_b, const T* c, const T* s, LADDER_LINE) { \
        ladder::BlasCall call(h, line);                                                                                                         \
        return ladder::rotate(call, n, a, step_a, b, step_b, call.scalar(c), call.scalar(s));                                                \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublasI##x##amin(cublasHandle_t h, int n, const T* a, int step, int* result, LADDER_LINE) {             \
        return ladder::position(h, n, a, step, result, std::less<>(), line);                                                                           \
    }                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##ger(cublasHandle_t h, int m, int n, const T* alpha, const T* a, int step_a, const T* b, int step_b, \
                                                       T* c, int ldc, LADDER_LINE) {                                                            \
        return ladder::add_product(h, m, n, alpha, a, step_a, b, step_b, c, ldc, line);                                                         \
    }

LADDER_MORE_BLAS(S, s, float)
LADDER_MORE_BLAS(D, d, double)
#undef LADDER_MORE_BLAS

inline LADDER_UNSEEN cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const float* alpha,
                                                  const void* a, cudaDataType_t type_a, int lda, const void* b, cudaDataType_t type_b, int ldb,
                                                  const float* beta, void* c, cudaDataType_t type_c, int ldc, LADDER_LINE) {
    return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT, line);
}

inline LADDER_UNSEEN cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                                               const void* alpha, const void* a, cudaDataType_t type_a, int lda, long long stride_a,
                                                               const void* b, cudaDataType_t type_b, int ldb, long long stride_b, const void* beta,
                                                               void* c, cudaDataType_t type_c, int ldc, long long stride_c, int count,
                                                               cublasComputeType_t compute, cublasGemmAlgo_t algorithm, LADDER_LINE) {
    using ladder::bytes_of;
    for (int i = 0; i < count; ++i) {
        const auto* const left = static_cast<const char*>(a) + i * stride_a * bytes_of(type_a);
        const auto* const right = static_cast<const char*>(b) + i * stride_b * bytes_of(type_b);
        auto* const to = static_cast<char*>(c) + i * stride_c * bytes_of(type_c);
        const auto error = cublasGemmEx(h, ta, tb, m, n, k, alpha, left, type_a, lda, right, type_b, ldb, beta, to, type_c, ldc, compute, algorithm, line);
        if (error) return error;
    }
    return CUBLAS_STATUS_SUCCESS;
}

inline LADDER_UNSEEN cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                                        const void* alpha, const void* const a[], cudaDataType_t type_a, int lda, const void* const b[],
                                                        cudaDataType_t type_b, int ldb, const void* beta, void* const c[], cudaDataType_t type_c, int ldc,
                                                        int count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm, LADDER_LINE) {
    for (int i = 0; i < count; ++i) {
        void* of[3];
        if (!ladder::get_pointers(of, a + i, b + i, c + i, line)) return CUBLAS_STATUS_EXECUTION_FAILED;
        const auto error = cublasGemmEx(h, ta, tb, m, n, k, alpha, of[0], type_a, lda, of[1], type_b, ldb, beta, of[2], type_c, ldc, compute, algorithm, line);
        if (error) return error;
    }
    return CUBLAS_STATUS_SUCCESS;
}
