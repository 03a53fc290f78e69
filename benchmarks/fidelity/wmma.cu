// Micro-kernels on nvcuda::wmma: what loading and storing a fragment costs, and which element lies where in it.
//
// As in global.cu, n = 1024 and x[i] is a pseudo-random whole number. Every block is a warp, and out gets whole fragments.
#include <mma.h>

using namespace nvcuda::wmma;

#define ENTRY(name, T, blocks, threads, ...)                               \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        __VA_ARGS__<<<blocks, threads, 0, stream>>>(x, out, n);            \
    }

// ---- loads ----

template <class F, class T> __device__ void show(const F& f, T* out) {
#pragma unroll
    for (int i = 0; i < f.num_elements; ++i) out[(32 * blockIdx.x + threadIdx.x) * f.num_elements + i] = static_cast<T>(f.x[i]);
}

template <class F, class E, int stride, class T> __global__ void from_global(const T* x, T* out, int n) {
    F f;
    load_matrix_sync(f, reinterpret_cast<const E*>(x) + 32 * blockIdx.x, stride);
    show(f, out);
}
template <class F, class E, int stride, class T> __global__ void from_shared(const T* x, T* out, int n) {
    __shared__ alignas(128) E tile[32 * stride];
    for (int i = threadIdx.x; i < 32 * stride; i += 32) tile[i] = static_cast<E>(x[32 * blockIdx.x + i]);
    __syncwarp();
    F f;
    load_matrix_sync(f, tile, stride);
    show(f, out);
}

#define A(m, n, k, T, order) fragment<matrix_a, m, n, k, T, order##_major>
#define B(m, n, k, T, order) fragment<matrix_b, m, n, k, T, order##_major>
#define C(m, n, k, T) fragment<accumulator, m, n, k, T>

ENTRY(global_half_a_row, half, 32, 32, from_global<A(16, 16, 16, half, row), half, 16>)
ENTRY(global_half_a_row_64, half, 32, 32, from_global<A(16, 16, 16, half, row), half, 64>)
ENTRY(global_half_a_col, half, 32, 32, from_global<A(16, 16, 16, half, col), half, 16>)
ENTRY(global_half_b_row, half, 32, 32, from_global<B(16, 16, 16, half, row), half, 64>)
ENTRY(global_half_b_col, half, 32, 32, from_global<B(16, 16, 16, half, col), half, 64>)
ENTRY(global_half_a_32, half, 32, 32, from_global<A(32, 8, 16, half, row), half, 16>)
ENTRY(global_half_b_8, half, 32, 32, from_global<B(32, 8, 16, half, row), half, 16>)
ENTRY(global_half_a_8, half, 32, 32, from_global<A(8, 32, 16, half, col), half, 16>)
ENTRY(global_half_b_32, half, 32, 32, from_global<B(8, 32, 16, half, row), half, 32>)
ENTRY(global_bf16_a_row, __nv_bfloat16, 32, 32, from_global<A(16, 16, 16, __nv_bfloat16, row), __nv_bfloat16, 64>)
ENTRY(global_bf16_b_row, __nv_bfloat16, 32, 32, from_global<B(16, 16, 16, __nv_bfloat16, row), __nv_bfloat16, 64>)
ENTRY(global_s8_a_row, char, 32, 32, from_global<A(16, 16, 16, signed char, row), signed char, 32>)
ENTRY(global_s8_a_col, char, 32, 32, from_global<A(16, 16, 16, signed char, col), signed char, 32>)
ENTRY(global_u8_b_col, char, 32, 32, from_global<B(8, 32, 16, unsigned char, col), unsigned char, 32>)
ENTRY(global_tf32_a_row, float, 32, 32, from_global<A(16, 16, 8, precision::tf32, row), float, 32>)
ENTRY(global_tf32_b_row, float, 32, 32, from_global<B(16, 16, 8, precision::tf32, row), float, 32>)
ENTRY(global_double_a_row, double, 32, 32, from_global<A(8, 8, 4, double, row), double, 16>)
ENTRY(global_double_b_row, double, 32, 32, from_global<B(8, 8, 4, double, row), double, 16>)

ENTRY(shared_half_a_row, half, 32, 32, from_shared<A(16, 16, 16, half, row), half, 16>)
ENTRY(shared_half_a_row_24, half, 32, 32, from_shared<A(16, 16, 16, half, row), half, 24>)
ENTRY(shared_half_a_row_64, half, 32, 32, from_shared<A(16, 16, 16, half, row), half, 64>)
ENTRY(shared_half_a_col_64, half, 32, 32, from_shared<A(16, 16, 16, half, col), half, 64>)
ENTRY(shared_half_b_row_24, half, 32, 32, from_shared<B(16, 16, 16, half, row), half, 24>)
ENTRY(shared_half_b_col, half, 32, 32, from_shared<B(16, 16, 16, half, col), half, 16>)
ENTRY(shared_half_a_32, half, 32, 32, from_shared<A(32, 8, 16, half, row), half, 16>)
ENTRY(shared_half_b_8, half, 32, 32, from_shared<B(32, 8, 16, half, col), half, 16>)
ENTRY(shared_bf16_a_row, __nv_bfloat16, 32, 32, from_shared<A(16, 16, 16, __nv_bfloat16, row), __nv_bfloat16, 16>)
ENTRY(shared_bf16_a_row_24, __nv_bfloat16, 32, 32, from_shared<A(16, 16, 16, __nv_bfloat16, row), __nv_bfloat16, 24>)
ENTRY(shared_bf16_a_row_64, __nv_bfloat16, 32, 32, from_shared<A(16, 16, 16, __nv_bfloat16, row), __nv_bfloat16, 64>)
ENTRY(shared_bf16_b_row_64, __nv_bfloat16, 32, 32, from_shared<B(16, 16, 16, __nv_bfloat16, row), __nv_bfloat16, 64>)
ENTRY(shared_s8_a_row, char, 32, 32, from_shared<A(16, 16, 16, signed char, row), signed char, 16>)
ENTRY(shared_s8_a_col, char, 32, 32, from_shared<A(16, 16, 16, signed char, col), signed char, 16>)
ENTRY(shared_tf32_a_row, float, 32, 32, from_shared<A(16, 16, 8, precision::tf32, row), float, 8>)
ENTRY(shared_tf32_a_row_32, float, 32, 32, from_shared<A(16, 16, 8, precision::tf32, row), float, 32>)
ENTRY(shared_double_a_row, double, 32, 32, from_shared<A(8, 8, 4, double, row), double, 4>)

// ---- accumulators ----

template <class F, class T> __device__ F filled(const T* x) {
    F f;
#pragma unroll
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = x[(32 * blockIdx.x + threadIdx.x) * f.num_elements + i];
    return f;
}

template <class F, int stride, layout_t order, class T> __global__ void to_global(const T* x, T* out, int n) {
    F f = filled<F>(x);
    store_matrix_sync(out + 32 * stride * blockIdx.x, f, stride, order);
}
template <class F, int stride, layout_t order, class T> __global__ void to_shared(const T* x, T* out, int n) {
    __shared__ alignas(128) T tile[32 * stride];
    for (int i = threadIdx.x; i < 32 * stride; i += 32) tile[i] = 0;
    __syncwarp();
    F f = filled<F>(x);
    store_matrix_sync(tile, f, stride, order);
    __syncwarp();
    for (int i = threadIdx.x; i < 32 * stride; i += 32) out[32 * stride * blockIdx.x + i] = tile[i];
}
template <class F, int stride, layout_t order, class T> __global__ void sums_from_global(const T* x, T* out, int n) {
    F f;
    load_matrix_sync(f, x + 32 * blockIdx.x, stride, order);
    show(f, out);
}

ENTRY(store_float_row, float, 32, 32, to_global<C(16, 16, 16, float), 16, mem_row_major>)
ENTRY(store_float_row_32, float, 32, 32, to_global<C(16, 16, 16, float), 32, mem_row_major>)
ENTRY(store_float_col, float, 32, 32, to_global<C(16, 16, 16, float), 16, mem_col_major>)
ENTRY(store_float_row_8x32, float, 32, 32, to_global<C(8, 32, 16, float), 32, mem_row_major>)
ENTRY(store_float_col_8x32, float, 32, 32, to_global<C(8, 32, 16, float), 8, mem_col_major>)
ENTRY(store_float_row_32x8, float, 32, 32, to_global<C(32, 8, 16, float), 8, mem_row_major>)
ENTRY(store_half_row, half, 32, 32, to_global<C(16, 16, 16, half), 16, mem_row_major>)
ENTRY(store_half_col, half, 32, 32, to_global<C(16, 16, 16, half), 16, mem_col_major>)
ENTRY(store_half_row_8x32, half, 32, 32, to_global<C(8, 32, 16, half), 32, mem_row_major>)
ENTRY(store_int_row, int, 32, 32, to_global<C(16, 16, 16, int), 16, mem_row_major>)
ENTRY(store_tf32_sums_row, float, 32, 32, to_global<C(16, 16, 8, float), 16, mem_row_major>)
ENTRY(store_double_row, double, 32, 32, to_global<C(8, 8, 4, double), 8, mem_row_major>)
ENTRY(store_double_col, double, 32, 32, to_global<C(8, 8, 4, double), 8, mem_col_major>)
ENTRY(store_shared_float_row, float, 32, 32, to_shared<C(16, 16, 16, float), 16, mem_row_major>)
ENTRY(store_shared_float_row_20, float, 32, 32, to_shared<C(16, 16, 16, float), 20, mem_row_major>)
ENTRY(store_shared_float_col, float, 32, 32, to_shared<C(16, 16, 16, float), 16, mem_col_major>)
ENTRY(store_shared_half_row, half, 32, 32, to_shared<C(16, 16, 16, half), 16, mem_row_major>)
ENTRY(load_float_row, float, 32, 32, sums_from_global<C(16, 16, 16, float), 32, mem_row_major>)
ENTRY(load_float_col, float, 32, 32, sums_from_global<C(16, 16, 16, float), 32, mem_col_major>)
ENTRY(load_float_row_8x32, float, 32, 32, sums_from_global<C(8, 32, 16, float), 32, mem_row_major>)
ENTRY(load_half_col, half, 32, 32, sums_from_global<C(16, 16, 16, half), 16, mem_col_major>)
ENTRY(load_int_row, int, 32, 32, sums_from_global<C(16, 16, 16, int), 16, mem_row_major>)
ENTRY(load_double_row, double, 32, 32, sums_from_global<C(8, 8, 4, double), 8, mem_row_major>)

// ---- whole products of small numbers, so that all sums are exact ----

template <class M, class N, class S, class E, class Sum, class T> __device__ void product(const T* x, T* out) {
    __shared__ alignas(128) E a[1024];
    __shared__ alignas(128) E b[1024];
    for (int i = threadIdx.x; i < 1024; i += 32) {
        a[i] = static_cast<E>(static_cast<float>(static_cast<int>(x[512 * blockIdx.x + i]) & 7));
        b[i] = static_cast<E>(static_cast<float>(static_cast<int>(x[512 * blockIdx.x + i]) >> 4 & 7));
    }
    __syncwarp();
    M left;
    N right;
    S sum;
    fill_fragment(sum, static_cast<Sum>(1.0f));
    load_matrix_sync(left, a, 32);
    load_matrix_sync(right, b, 32);
    mma_sync(sum, left, right, sum);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(reinterpret_cast<Sum*>(out) + 1024 * blockIdx.x, sum, 32, mem_row_major);
}
template <int m, int n, int k, class T, class order, class E, class Sum, class X> __global__ void of(const X* x, X* out, int n_) {
    product<A(m, n, k, T, row), fragment<matrix_b, m, n, k, T, order>, C(m, n, k, Sum), E, Sum>(x, out);
}
ENTRY(product_half, float, 32, 32, of<16, 16, 16, half, col_major, half, float>)
ENTRY(product_half_sums, float, 32, 32, of<16, 16, 16, half, col_major, half, half>)
ENTRY(product_half_8x32, float, 32, 32, of<8, 32, 16, half, row_major, half, float>)
ENTRY(product_half_32x8, float, 32, 32, of<32, 8, 16, half, row_major, half, float>)
ENTRY(product_bf16, float, 32, 32, of<16, 16, 16, __nv_bfloat16, row_major, __nv_bfloat16, float>)
ENTRY(product_s8, int, 32, 32, of<16, 16, 16, signed char, col_major, signed char, int>)
ENTRY(product_u8, int, 32, 32, of<16, 16, 16, unsigned char, row_major, unsigned char, int>)
ENTRY(product_tf32, float, 32, 32, of<16, 16, 8, precision::tf32, col_major, float, float>)
ENTRY(product_double, double, 32, 32, of<8, 8, 4, double, col_major, double, double>)
