// cuBLAS's functions of matrices of which one triangle is kept: triangular ones that are multiplied or solved, symmetric ones
// that are multiplied, and those that gain a product. And products with a diagonal.
#pragma once

namespace ladder {

// A square matrix in columns, made out of the triangle of it that counts.
struct Square {
    long n;
    std::vector<double> all;
    LADDER_UNSEEN double& at(long r, long c) { return all[static_cast<std::size_t>(c * n + r)]; }
};

inline LADDER_UNSEEN bool in_triangle(cublasFillMode_t uplo, long r, long c) { return r == c || (uplo == CUBLAS_FILL_MODE_LOWER) == (r > c); }

template <class T> LADDER_UNSEEN Square triangle(BlasCall& call, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, const T* a, long n, long lda) {
    Square from{n, std::vector<double>(static_cast<std::size_t>(n * n))}, made = from;
    for (long c = 0; c < n; ++c) {
        const long first = uplo == CUBLAS_FILL_MODE_LOWER ? c : 0, rows = uplo == CUBLAS_FILL_MODE_LOWER ? n - c : c + 1;   // no more is read
        const auto column = call.get(a + c * lda + first, rows, 1, lda);
        for (long r = 0; r < rows && call.fine(); ++r) from.at(first + r, c) = column[static_cast<std::size_t>(r)];
        if (diag == CUBLAS_DIAG_UNIT) from.at(c, c) = 1;
    }
    for (long r = 0; r < n; ++r)
        for (long c = 0; c < n; ++c) made.at(r, c) = op == CUBLAS_OP_N ? from.at(r, c) : from.at(c, r);
    return made;
}
template <class T> LADDER_UNSEEN Square symmetric(BlasCall& call, cublasFillMode_t uplo, const T* a, long n, long lda) {
    Square made = triangle(call, uplo, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, a, n, lda);
    for (long r = 0; r < n; ++r)
        for (long c = 0; c < n; ++c)
            if (!in_triangle(uplo, r, c)) made.at(r, c) = made.at(c, r);
    return made;
}

// x such that A x = b, for a triangle; `lower` is of op(A).
inline LADDER_UNSEEN void solve(Square& a, bool lower, double* b, long step) {
    for (long i = 0; i < a.n; ++i) {
        const long r = lower ? i : a.n - 1 - i;
        double sum = b[r * step];
        for (long c = lower ? 0 : r + 1; c < (lower ? r : a.n); ++c) sum -= a.at(r, c) * b[c * step];
        b[r * step] = sum / a.at(r, r);
    }
}
inline LADDER_UNSEEN bool is_lower(cublasFillMode_t uplo, cublasOperation_t op) { return (uplo == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N); }

// C = alpha A B + keep C, or alpha B A with the square on the right; of m rows and n columns.
template <class T>
LADDER_UNSEEN cublasStatus_t times_square(BlasCall& call, cublasSideMode_t side, Square square, long m, long n, double alpha, const T* b, long ldb, double keep, T* c,
                                          long ldc) {
    std::vector<double> sum(static_cast<std::size_t>(m * n));
    if (keep != 0) sum = call.get(c, m, n, ldc);
    for (double& each : sum) each *= keep;
    const auto other = call.get(b, m, n, ldb);
    if (call.fine() && side == CUBLAS_SIDE_LEFT) multiply(sum, square.all, other, m, n, m, alpha);
    if (call.fine() && side == CUBLAS_SIDE_RIGHT) multiply(sum, other, square.all, m, n, n, alpha);
    call.put(c, m, n, ldc, sum);
    return call.status();
}

template <class T>
LADDER_UNSEEN cublasStatus_t solve_many(Blas* handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, long m, long n,
                                        const T* alpha, const T* a, long lda, T* b, long ldb, int line) {
    BlasCall call(handle, line);
    const long size = side == CUBLAS_SIDE_LEFT ? m : n;
    if (n < 0 || is_refused({{"A", size, lda}, {"B", m, ldb}}, line)) return CUBLAS_STATUS_INVALID_VALUE;
    const double scale = call.scalar(alpha);
    // X A = B is A' X' = B'.
    const cublasOperation_t turned = op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N, as = side == CUBLAS_SIDE_LEFT ? op : turned;
    Square square = triangle(call, uplo, as, diag, a, size, lda);
    auto all = call.get(b, m, n, ldb);
    for (double& each : all) each *= scale;
    for (long i = 0; i < (side == CUBLAS_SIDE_LEFT ? n : m) && call.fine() && !all.empty(); ++i)
        solve(square, is_lower(uplo, as), all.data() + (side == CUBLAS_SIDE_LEFT ? i * m : i), side == CUBLAS_SIDE_LEFT ? 1 : m);
    call.put(b, m, n, ldb, all);
    return call.status();
}

// The triangle of C = alpha A B' + keep C that is kept; with `both`, alpha B A' is added, too.
template <class T>
LADDER_UNSEEN cublasStatus_t add_to_triangle(BlasCall& call, cublasFillMode_t uplo, cublasOperation_t op, long n, long k, double alpha, const T* a, long lda, const T* b,
                                             long ldb, double keep, T* c, long ldc, bool both) {
    std::vector<double> sum(static_cast<std::size_t>(n * n));
    const auto left = operand(call, op, a, n, k, lda), right = operand(call, op, b, n, k, ldb);
    const auto turned = [&](const std::vector<double>& of) LADDER_UNSEEN {
        std::vector<double> made(of.size());
        for (long r = 0; r < n && !of.empty(); ++r)
            for (long i = 0; i < k; ++i) made[static_cast<std::size_t>(r * k + i)] = of[static_cast<std::size_t>(i * n + r)];
        return made;
    };
    if (call.fine()) multiply(sum, left, turned(right), n, n, k, alpha);
    if (call.fine() && both) multiply(sum, right, turned(left), n, n, k, alpha);
    for (long column = 0; column < n && call.fine(); ++column) {
        const long first = uplo == CUBLAS_FILL_MODE_LOWER ? column : 0, rows = uplo == CUBLAS_FILL_MODE_LOWER ? n - column : column + 1;
        std::vector<double> part(sum.begin() + (column * n + first), sum.begin() + (column * n + first + rows));
        const auto old = keep != 0 ? call.get(c + column * ldc + first, rows, 1, ldc) : std::vector<double>(part.size());
        for (std::size_t i = 0; i < part.size() && call.fine(); ++i) part[i] += keep * old[i];
        call.put(c + column * ldc + first, rows, 1, ldc, part);
    }
    return call.status();
}

}  // namespace ladder

#define LADDER_TRIANGLES(X, T)                                                                                                                                  \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,                   \
                                                        cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb, LADDER_LINE) { \
        return ladder::solve_many(h, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, line);                                                                  \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,                   \
                                                        cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, const T* b, int ldb,          \
                                                        T* c, int ldc, LADDER_LINE) {                                                                           \
        ladder::BlasCall call(h, line);                                                                                                                         \
        auto square = ladder::triangle(call, uplo, op, diag, a, side == CUBLAS_SIDE_LEFT ? m : n, lda);                                                         \
        return ladder::times_square(call, side, square, m, n, call.scalar(alpha), b, ldb, 0, c, ldc);                                                           \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##symm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T* alpha,           \
                                                        const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc, LADDER_LINE) {                  \
        ladder::BlasCall call(h, line);                                                                                                                         \
        auto square = ladder::symmetric(call, uplo, a, side == CUBLAS_SIDE_LEFT ? m : n, lda);                                                                  \
        return ladder::times_square(call, side, square, m, n, call.scalar(alpha), b, ldb, call.scalar(beta), c, ldc);                                           \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##syrk(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const T* alpha,            \
                                                        const T* a, int lda, const T* beta, T* c, int ldc, LADDER_LINE) {                                       \
        ladder::BlasCall call(h, line);                                                                                                                         \
        return ladder::add_to_triangle(call, uplo, op, n, k, call.scalar(alpha), a, lda, a, lda, call.scalar(beta), c, ldc, false);                             \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##syr2k(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const T* alpha,           \
                                                         const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc, LADDER_LINE) {                 \
        ladder::BlasCall call(h, line);                                                                                                                         \
        return ladder::add_to_triangle(call, uplo, op, n, k, call.scalar(alpha), a, lda, b, ldb, call.scalar(beta), c, ldc, true);                              \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##syr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int step, T* c, int ldc,     \
                                                       LADDER_LINE) {                                                                                           \
        ladder::BlasCall call(h, line);                                                                                                                         \
        const T* const first = step < 0 ? x - static_cast<long>(n - 1) * step : x;                                                                              \
        return ladder::add_to_triangle(call, uplo, CUBLAS_OP_T, n, 1, call.scalar(alpha), first, step, first, step, 1, c, ldc, false);                          \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##symv(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha, const T* a, int lda, const T* x,        \
                                                        int step_x, const T* beta, T* y, int step_y, LADDER_LINE) {                                             \
        ladder::BlasCall call(h, line);                                                                                                                         \
        auto square = ladder::symmetric(call, uplo, a, n, lda);                                                                                                 \
        const double scale = call.scalar(alpha), keep = call.scalar(beta);                                                                                      \
        auto sum = keep != 0 ? call.get_vector(y, n, step_y) : std::vector<double>(static_cast<std::size_t>(n));                                                \
        for (double& each : sum) each *= keep;                                                                                                                  \
        const auto vector = call.get_vector(x, n, step_x);                                                                                                      \
        if (call.fine()) ladder::multiply(sum, square.all, vector, n, 1, n, scale);                                                                             \
        call.put_vector(y, n, step_y, sum);                                                                                                                     \
        return call.status();                                                                                                                                   \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##trsv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int n,            \
                                                        const T* a, int lda, T* x, int step, LADDER_LINE) {                                                     \
        ladder::BlasCall call(h, line);                                                                                                                         \
        auto square = ladder::triangle(call, uplo, op, diag, a, n, lda);                                                                                        \
        auto all = call.get_vector(x, n, step);                                                                                                                 \
        if (call.fine()) ladder::solve(square, ladder::is_lower(uplo, op), all.data(), 1);                                                                      \
        call.put_vector(x, n, step, all);                                                                                                                       \
        return call.status();                                                                                                                                   \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##trmv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int n,            \
                                                        const T* a, int lda, T* x, int step, LADDER_LINE) {                                                     \
        ladder::BlasCall call(h, line);                                                                                                                         \
        auto square = ladder::triangle(call, uplo, op, diag, a, n, lda);                                                                                        \
        std::vector<double> sum(static_cast<std::size_t>(n));                                                                                                   \
        const auto vector = call.get_vector(x, n, step);                                                                                                        \
        if (call.fine()) ladder::multiply(sum, square.all, vector, n, 1, n, 1);                                                                                 \
        call.put_vector(x, n, step, sum);                                                                                                                       \
        return call.status();                                                                                                                                   \
    }                                                                                                                                                           \
    inline LADDER_UNSEEN cublasStatus_t cublas##X##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T* a, int lda, const T* x, int step,       \
                                                        T* c, int ldc, LADDER_LINE) {                                                                           \
        ladder::BlasCall call(h, line);                                                                                                                         \
        auto all = call.get(a, m, n, lda);                                                                                                                      \
        const auto diagonal = call.get_vector(x, side == CUBLAS_SIDE_LEFT ? m : n, step);                                                                       \
        for (std::size_t i = 0; i < all.size() && call.fine(); ++i)                                                                                             \
            all[i] *= diagonal[side == CUBLAS_SIDE_LEFT ? i % static_cast<std::size_t>(m) : i / static_cast<std::size_t>(m)];                                   \
        call.put(c, m, n, ldc, all);                                                                                                                            \
        return call.status();                                                                                                                                   \
    }
LADDER_TRIANGLES(S, float)
LADDER_TRIANGLES(D, double)
#undef LADDER_TRIANGLES
