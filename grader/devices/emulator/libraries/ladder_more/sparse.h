// What cuSPARSE's products compute, plainly, on the host, as cuBLAS's are (blas.h): operands are copied from the device and
// results back. Sums are taken in double and rounded once.
#pragma once

#include "blas.h"
#include "library_types.h"

namespace ladder {

struct Sparse : Blas {};
enum class SparseForm { Csr, Csc, Coo };

// Coo: `offsets` are the rows of the elements, one for each. Csr and Csc: where each row's (column's) elements begin.
struct SparseMatrix {
    SparseForm form;
    long rows, columns, count;
    const void *offsets, *indices;
    void* values;
    int offset_type, index_type, base;
    cudaDataType type;
};
struct DenseMatrix {
    long rows, columns, lead;
    void* values;
    cudaDataType type;
    bool by_rows;
};

inline LADDER_UNSEEN bool is_real(cudaDataType type) { return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_16F || type == CUDA_R_16BF; }

// `work` with a pointer to numbers of this type.
template <class Work> LADDER_UNSEEN auto with_numbers(cudaDataType type, void* values, Work work) {
    switch (type) {
        case CUDA_R_64F: return work(static_cast<double*>(values));
        case CUDA_R_16F: return work(static_cast<__half*>(values));
        case CUDA_R_16BF: return work(static_cast<__nv_bfloat16*>(values));
        default: return work(static_cast<float*>(values));
    }
}
inline LADDER_UNSEEN std::vector<double> get_indices(BlasCall& call, int type, const void* from, long count) {
    if (type == 3) return call.get(static_cast<const long long*>(from), count, 1, count);   // CUSPARSE_INDEX_64I
    return call.get(static_cast<const int*>(from), count, 1, count);
}

struct SparseElement { long row, column; double value; };

inline LADDER_UNSEEN std::vector<SparseElement> sparse_elements(BlasCall& call, const SparseMatrix& m, int line) {
    const bool listed = m.form == SparseForm::Coo, by_columns = m.form == SparseForm::Csc;
    const long lines = by_columns ? m.columns : m.rows;
    const auto offsets = get_indices(call, m.offset_type, m.offsets, listed ? m.count : lines + 1);
    const auto indices = get_indices(call, m.index_type, m.indices, m.count);
    const auto values = with_numbers(m.type, m.values, [&](auto* from) LADDER_UNSEEN { return call.get(from, m.count, 1, m.count); });
    std::vector<SparseElement> all;
    if (!call.fine()) return all;
    for (long i = 0, at = 0; i < m.count; ++i) {
        while (!listed && at < lines && offsets[static_cast<std::size_t>(at + 1)] - m.base <= static_cast<double>(i)) ++at;
        const long from = listed ? static_cast<long>(offsets[static_cast<std::size_t>(i)]) - m.base : at;
        const long index = static_cast<long>(indices[static_cast<std::size_t>(i)]) - m.base;
        const SparseElement each{by_columns ? index : from, by_columns ? from : index, values[static_cast<std::size_t>(i)]};
        if (each.row < 0 || each.row >= m.rows || each.column < 0 || each.column >= m.columns)
            ladder_trap("the sparse matrix has an element outside of its rows or columns: look at its offsets, indices and their base", line);
        all.push_back(each);
    }
    return all;
}

// Column by column, whatever the order in memory.
inline LADDER_UNSEEN std::vector<double> get_dense(BlasCall& call, const DenseMatrix& m) {
    return with_numbers(m.type, m.values, [&](auto* from) LADDER_UNSEEN {
        return m.by_rows ? turned(call.get(from, m.columns, m.rows, m.lead), m.columns, m.rows) : call.get(from, m.rows, m.columns, m.lead);
    });
}
inline LADDER_UNSEEN void put_dense(BlasCall& call, const DenseMatrix& m, const std::vector<double>& all) {
    with_numbers(m.type, m.values, [&](auto* to) LADDER_UNSEEN {
        if (m.by_rows) call.put(to, m.columns, m.rows, m.lead, turned(all, m.rows, m.columns));
        else call.put(to, m.rows, m.columns, m.lead, all);
    });
}

// C = alpha op(A) op(B) + beta C. False: the sizes do not fit.
inline LADDER_UNSEEN bool sparse_product(BlasCall& call, bool turn_a, bool turn_b, const void* alpha, const SparseMatrix& a, const DenseMatrix& b,
                                         const void* beta, const DenseMatrix& c, cudaDataType type, int line) {
    const long m = turn_a ? a.columns : a.rows, k = turn_a ? a.rows : a.columns, n = turn_b ? b.rows : b.columns;
    if (k != (turn_b ? b.columns : b.rows) || c.rows != m || c.columns != n) return false;
    const auto number = [&](const void* from) LADDER_UNSEEN {
        return type == CUDA_R_64F ? call.scalar(static_cast<const double*>(from)) : call.scalar(static_cast<const float*>(from));
    };
    const double scale = number(alpha), keep = number(beta);
    std::vector<double> sum(static_cast<std::size_t>(m * n));
    if (keep != 0) sum = get_dense(call, c);   // beta 0: C need not hold numbers
    for (double& each : sum) each *= keep;
    const std::vector<double> right = get_dense(call, b);
    for (const SparseElement& each : sparse_elements(call, a, line)) {
        const long row = turn_a ? each.column : each.row, inner = turn_a ? each.row : each.column;
        for (long j = 0; j < n; ++j)
            sum[static_cast<std::size_t>(j * m + row)] += scale * each.value * right[static_cast<std::size_t>(turn_b ? inner * b.rows + j : j * b.rows + inner)];
    }
    if (call.fine()) put_dense(call, c, sum);
    return true;
}

}  // namespace ladder
