//// ok: a product of fragments
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half* a, const half* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sums, left, right, sums);
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
}

//// ok: fragments of bfloat16 in arrays
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
    fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> left[2];
    fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> right[2];
    fragment<accumulator, 16, 16, 16, float> sums[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) fill_fragment(sums[i][j], 0.0f);
    for (int i = 0; i < 2; ++i) load_matrix_sync(left[i], a + 256 * i, 16), load_matrix_sync(right[i], b + 16 * i, 32);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            for (int e = 0; e < sums[i][j].num_elements; ++e) sums[i][j].x[e] *= 0.5f;
            store_matrix_sync(c + 512 * i + 16 * j, sums[i][j], 32, mem_row_major);
        }
}

//// ok: tf32, whole numbers and doubles
#include <mma.h>
using namespace nvcuda::wmma;
template <class T, class E, class Sum, int m, int n, int k> __device__ void one(const E* a, Sum* c) {
    fragment<matrix_a, m, n, k, T, row_major> left;
    fragment<matrix_b, m, n, k, T, col_major> right;
    fragment<accumulator, m, n, k, Sum> sums;
    fill_fragment(sums, Sum(0));
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, a, 16);
    for (auto& x : left.x) x = x;
    mma_sync(sums, left, right, sums);
    store_matrix_sync(c, sums, n, mem_col_major);
}
__global__ void k(const float* a, const signed char* b, const double* c, float* x, int* y, double* z) {
    one<precision::tf32, float, float, 16, 16, 8>(a, x);
    one<signed char, signed char, int, 32, 8, 16>(b, y);
    one<double, double, double, 8, 8, 4>(c, z);
    x[0] = __float_to_tf32(x[0]);
}

//// refused: an accumulator of another shape
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(float* c) {
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 32, 8, 16, float> sums;
    mma_sync(sums, left, right, sums);
    store_matrix_sync(c, sums, 16, mem_row_major);
}

//// refused: an accumulator of bfloat16
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(__nv_bfloat16* c) {
    fragment<accumulator, 16, 16, 16, __nv_bfloat16> sums;
    store_matrix_sync(c, sums, 16, mem_row_major);
}

//// refused: a shape that there is not
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(const half* a) {
    fragment<matrix_a, 8, 8, 16, half, row_major> left;
    load_matrix_sync(left, a, 16);
}

//// refused: a matrix without an order
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(const half* a) {
    fragment<matrix_a, 16, 16, 16, half> left;
    load_matrix_sync(left, a, 16);
}

//// refused: floats as if they were halves
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(const float* a) {
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    load_matrix_sync(left, a, 16);
}

//// refused: no order for the store
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(float* c) {
    fragment<accumulator, 16, 16, 16, float> sums;
    fill_fragment(sums, 0.0f);
    store_matrix_sync(c, sums, 16);
}

//// refused: a factor that is stored
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(const half* a, half* c) {
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    load_matrix_sync(left, a, 16);
    store_matrix_sync(c, left, 16, mem_row_major);
}

//// refused: half sums of bfloat16
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(half* c) {
    fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> left;
    fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> right;
    fragment<accumulator, 16, 16, 16, half> sums;
    mma_sync(sums, left, right, sums);
    store_matrix_sync(c, sums, 16, mem_row_major);
}

//// refused: a fragment's function on the host
#include <mma.h>
using namespace nvcuda::wmma;
void f(const half* a) {
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    load_matrix_sync(left, a, 16);
}
