// cuBLAS's functions of vectors that take the types of their numbers as arguments: cublasDotEx and its kin.
#pragma once

namespace ladder {

// Calls `go` with a null pointer to numbers of this type.
template <class Go> LADDER_UNSEEN cublasStatus_t of_type(cudaDataType_t type, Go go) {
    switch (type) {
        case CUDA_R_32F: return go(static_cast<float*>(nullptr));
        case CUDA_R_64F: return go(static_cast<double*>(nullptr));
        case CUDA_R_16F: return go(static_cast<__half*>(nullptr));
        case CUDA_R_16BF: return go(static_cast<__nv_bfloat16*>(nullptr));
        default: return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

// alpha may be of another type than the vectors: a float beside numbers of 16 bits.
inline LADDER_UNSEEN cublasStatus_t scalar_of(BlasCall& call, const void* alpha, cudaDataType_t type, double& value) {
    return of_type(type, [&](auto* of) LADDER_UNSEEN {
        value = call.scalar(static_cast<const decltype(of)>(const_cast<void*>(alpha)));
        return CUBLAS_STATUS_SUCCESS;
    });
}

template <class T> LADDER_UNSEEN cublasStatus_t answer_sum(BlasCall& call, T*, const std::vector<double>& a, const std::vector<double>& b, void* result, bool root) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    call.answer(static_cast<T*>(result), root ? std::sqrt(sum) : sum);
    return call.status();
}

}  // namespace ladder

inline LADDER_UNSEEN cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void* x, cudaDataType_t type_x, int step_x, const void* y, cudaDataType_t type_y,
                                                int step_y, void* result, cudaDataType_t type, cudaDataType_t, LADDER_LINE) {
    if (type_x != type_y || type_x != type) return CUBLAS_STATUS_NOT_SUPPORTED;
    return ladder::of_type(type, [&](auto* of) LADDER_UNSEEN {
        ladder::BlasCall call(h, line);
        using T = std::remove_pointer_t<decltype(of)>;
        const auto left = call.get_vector(static_cast<const T*>(x), n, step_x), right = call.get_vector(static_cast<const T*>(y), n, step_y);
        return ladder::answer_sum(call, of, left, right, result, false);
    });
}
inline LADDER_UNSEEN cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void* x, cudaDataType_t type_x, int step, void* result, cudaDataType_t type,
                                                 cudaDataType_t, LADDER_LINE) {
    if (type_x != type) return CUBLAS_STATUS_NOT_SUPPORTED;
    return ladder::of_type(type, [&](auto* of) LADDER_UNSEEN {
        ladder::BlasCall call(h, line);
        const auto all = call.get_vector(static_cast<const std::remove_pointer_t<decltype(of)>*>(x), n, step);
        return ladder::answer_sum(call, of, all, all, result, true);
    });
}
inline LADDER_UNSEEN cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void* alpha, cudaDataType_t type_alpha, void* x, cudaDataType_t type, int step,
                                                 cudaDataType_t, LADDER_LINE) {
    return ladder::of_type(type, [&](auto* of) LADDER_UNSEEN {
        ladder::BlasCall call(h, line);
        double scale = 0;
        if (const auto error = ladder::scalar_of(call, alpha, type_alpha, scale)) return error;
        auto all = call.get_vector(static_cast<decltype(of)>(x), n, step);
        for (double& each : all) each *= scale;
        call.put_vector(static_cast<decltype(of)>(x), n, step, all);
        return call.status();
    });
}
inline LADDER_UNSEEN cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void* alpha, cudaDataType_t type_alpha, const void* x, cudaDataType_t type_x,
                                                 int step_x, void* y, cudaDataType_t type_y, int step_y, cudaDataType_t, LADDER_LINE) {
    if (type_x != type_y) return CUBLAS_STATUS_NOT_SUPPORTED;
    return ladder::of_type(type_y, [&](auto* of) LADDER_UNSEEN {
        ladder::BlasCall call(h, line);
        double scale = 0;
        if (const auto error = ladder::scalar_of(call, alpha, type_alpha, scale)) return error;
        const auto from = call.get_vector(static_cast<const std::remove_pointer_t<decltype(of)>*>(x), n, step_x);
        auto to = call.get_vector(static_cast<decltype(of)>(y), n, step_y);
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += scale * from[i];
        call.put_vector(static_cast<decltype(of)>(y), n, step_y, to);
        return call.status();
    });
}
