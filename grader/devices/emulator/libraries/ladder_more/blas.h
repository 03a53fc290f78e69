// What cuBLAS's functions compute, plainly, on the host: operands are copied from the device and results back, so that
// bounds, streams and uninitialised memory are as they would be for a kernel. Sums are taken in double and rounded once.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "refused.h"

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11, CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15, CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };

namespace ladder {

struct Blas {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
};

// One call: the first copy that fails ends its work, with a finding at the caller's line.
class BlasCall {
public:
    LADDER_UNSEEN BlasCall(Blas* handle, int line) : handle_(handle), line_(line) {
        if (handle) ladder_stream_work(handle->stream, line);
        else ladder_refused_call("this handle is null, so this call fails and computes nothing: write `cublasCreate(&handle)` first", line);
    }
    LADDER_UNSEEN cublasStatus_t status() const {
        return !handle_ ? CUBLAS_STATUS_NOT_INITIALIZED : failed_ ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
    }
    LADDER_UNSEEN bool fine() const { return handle_ && !failed_; }

    // Columns of a matrix: `rows` elements of each, the columns `lead` elements apart.
    template <class T> LADDER_UNSEEN std::vector<double> get(const T* from, long rows, long columns, long lead) {
        std::vector<T> raw(rows > 0 && columns > 0 ? static_cast<std::size_t>(rows) : 0);
        std::vector<double> all(raw.size() * static_cast<std::size_t>(columns > 0 ? columns : 0));
        for (long c = 0; c < columns && fine() && !raw.empty(); ++c) {
            failed_ |= ladder_memcpy(raw.data(), from + c * lead, raw.size() * sizeof(T), Copy::DeviceToHost, line_) != 0;
            for (long r = 0; r < rows; ++r) all[static_cast<std::size_t>(c * rows + r)] = static_cast<double>(static_cast<float_of<T>>(raw[static_cast<std::size_t>(r)]));
        }
        return all;
    }
    template <class T> LADDER_UNSEEN void put(T* to, long rows, long columns, long lead, const std::vector<double>& all) {
        std::vector<T> raw(rows > 0 ? static_cast<std::size_t>(rows) : 0);
        for (long c = 0; c < columns && fine() && !raw.empty(); ++c) {
            for (long r = 0; r < rows; ++r) raw[static_cast<std::size_t>(r)] = static_cast<T>(static_cast<float_of<T>>(all[static_cast<std::size_t>(c * rows + r)]));
            failed_ |= ladder_memcpy(to + c * lead, raw.data(), raw.size() * sizeof(T), Copy::HostToDevice, line_) != 0;
        }
    }
    // Elements `step` apart are the rows of one column each; a negative step counts from the end, as BLAS has it.
    template <class T> LADDER_UNSEEN std::vector<double> get_vector(const T* from, long n, long step) {
        return get(step < 0 ? from - (n - 1) * step : from, 1, n, step);
    }
    template <class T> LADDER_UNSEEN void put_vector(T* to, long n, long step, const std::vector<double>& all) {
        put(step < 0 ? to - (n - 1) * step : to, 1, n, step, all);
    }
    template <class T> LADDER_UNSEEN double scalar(const T* from) {
        if (!fine() || !from) return 0;
        return handle_->mode == CUBLAS_POINTER_MODE_HOST ? static_cast<double>(static_cast<float_of<T>>(*from)) : get(from, 1, 1, 1)[0];
    }
    template <class T> LADDER_UNSEEN void answer(T* to, double value) {
        if (!fine()) return;
        if (handle_->mode == CUBLAS_POINTER_MODE_HOST) *to = static_cast<T>(static_cast<float_of<T>>(value));
        else put(to, 1, 1, 1, {value});
    }

private:
    template <class T> using float_of = std::conditional_t<std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>, float, T>;
    Blas* handle_;
    int line_;
    bool failed_ = false;
};

// Of matrices of `rows` as they are stored, whose columns are `lead` numbers apart: the first that cannot be so is told.
struct StoredMatrix { const char* name; long rows, lead; };
inline LADDER_UNSEEN bool is_refused(std::initializer_list<StoredMatrix> all, int line) {
    for (const StoredMatrix& each : all) {
        if (each.rows < 0) return true;
        if (each.lead >= (each.rows > 1 ? each.rows : 1)) continue;
        const std::string name = each.name, small(1, static_cast<char>(name[0] - 'A' + 'a'));
        ladder_refused_call(("ld" + small + " is " + std::to_string(each.lead) + ", and " + name + " has " + std::to_string(each.rows) +
                              " rows as it is stored, column by column, so this call fails and computes nothing: hand over " + std::to_string(each.rows) +
                              " or more; a matrix that lies row by row is the transpose of what cuBLAS sees").c_str(), line);
        return true;
    }
    return false;
}

// Where the first element is whose absolute value is the largest (std::greater) or the smallest, counted as Fortran does.
template <class T, class Before>
LADDER_UNSEEN cublasStatus_t position(Blas* handle, int n, const T* a, int step, int* result, Before comes_before, int line) {
    BlasCall call(handle, line);
    const auto all = call.get_vector(a, n, step);
    std::size_t best = 0;
    for (std::size_t i = 0; i < all.size(); ++i) best = comes_before(std::fabs(all[i]), std::fabs(all[best])) ? i : best;
    call.answer(result, all.empty() ? 0.0 : static_cast<double>(best + 1));
    return call.status();
}

// Of a batch, the pointers to one product's matrices: the arrays of pointers lie on the device.
inline LADDER_UNSEEN bool get_pointers(void* (&to)[3], const void* a, const void* b, const void* c, int line) {
    const void* const from[3] = {a, b, c};
    for (int i = 0; i < 3; ++i)
        if (ladder_memcpy(&to[i], from[i], sizeof(void*), Copy::DeviceToHost, line)) return false;
    return true;
}

// The transpose of a matrix whose columns stand one behind the other; of none that could not be read.
inline LADDER_UNSEEN std::vector<double> turned(const std::vector<double>& all, long rows, long columns) {
    std::vector<double> other(all.size());
    for (long r = 0; r < rows && !all.empty(); ++r)
        for (long c = 0; c < columns; ++c) other[static_cast<std::size_t>(r * columns + c)] = all[static_cast<std::size_t>(c * rows + r)];
    return other;
}

// op(A), m x n, from the m x n or n x m matrix at `from`.
template <class T>
LADDER_UNSEEN std::vector<double> operand(BlasCall& call, cublasOperation_t op, const T* from, long m, long n, long lead) {
    if (op == CUBLAS_OP_N) return call.get(from, m, n, lead);
    return turned(call.get(from, n, m, lead), n, m);
}

inline LADDER_UNSEEN void multiply(std::vector<double>& c, const std::vector<double>& a, const std::vector<double>& b, long m, long n, long k, double alpha) {
    for (long j = 0; j < n; ++j)
        for (long p = 0; p < k; ++p) {
            const double factor = alpha * b[static_cast<std::size_t>(j * k + p)];
            const double* from = a.data() + p * m;
            double* to = c.data() + j * m;
            for (long i = 0; i < m; ++i) to[i] += factor * from[i];
        }
}

template <class A, class B, class C, class S>
LADDER_UNSEEN cublasStatus_t gemm(Blas* handle, cublasOperation_t ta, cublasOperation_t tb, long m, long n, long k, const S* alpha, const A* a, long lda,
                                  const B* b, long ldb, const S* beta, C* c, long ldc, int line) {
    BlasCall call(handle, line);
    if (n < 0 || k < 0 || is_refused({{"A", ta == CUBLAS_OP_N ? m : k, lda}, {"B", tb == CUBLAS_OP_N ? k : n, ldb}, {"C", m, ldc}}, line)) return CUBLAS_STATUS_INVALID_VALUE;
    const double scale = call.scalar(alpha), keep = call.scalar(beta);
    std::vector<double> sum(static_cast<std::size_t>(m * n));
    if (keep != 0) sum = call.get(c, m, n, ldc);   // beta 0: C need not hold numbers
    for (double& each : sum) each *= keep;
    const auto left = operand(call, ta, a, m, k, lda), right = operand(call, tb, b, k, n, ldb);
    if (call.fine()) multiply(sum, left, right, m, n, k, scale);
    call.put(c, m, n, ldc, sum);
    return call.status();
}

}  // namespace ladder

using cublasHandle_t = ladder::Blas*;
