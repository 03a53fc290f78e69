// thrust's errors: programs catch them. Nothing throws them here, for a wrong call is a finding.
#pragma once

#include <system_error>

#include "cuda_runtime.h"

namespace thrust {

using std::error_code;
using std::error_condition;
using std::system_error;

inline const std::error_category& cuda_category() {
    static const struct Category : std::error_category {
        const char* name() const noexcept override { return "cuda"; }
        std::string message(int error) const override { return cudaGetErrorString(static_cast<cudaError_t>(error)); }
    } category;
    return category;
}

namespace system {
using thrust::cuda_category, thrust::error_code, thrust::error_condition, thrust::system_error;
}  // namespace system

}  // namespace thrust
