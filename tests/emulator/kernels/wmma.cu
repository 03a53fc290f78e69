// nvcuda::wmma: products of every shape and type, where elements lie, and what loads and stores cost.
#include <mma.h>
#include <cuda_pipeline.h>

using namespace nvcuda;

// c (m x n) = a (m x k) b (k x n), all of `depth` along k, by one warp. Orders: of a and b, and how c is stored.
template <int m, int n, int k, class T, class E, class Sum, class La, class Lb>
__device__ void multiply(const E* a, const E* b, Sum* c, int depth, wmma::layout_t order) {
    constexpr bool a_rows = std::is_same_v<La, wmma::row_major>, b_rows = std::is_same_v<Lb, wmma::row_major>;
    constexpr int wide_m = sizeof(E) == 1 && m == 8 ? 16 : m, wide_n = sizeof(E) == 1 && n == 8 ? 16 : n;  // 16 bytes at least
    wmma::fragment<wmma::accumulator, m, n, k, Sum> sums;
    wmma::fill_fragment(sums, Sum(0.0f));
    for (int at = 0; at < depth; at += k) {
        wmma::fragment<wmma::matrix_a, m, n, k, T, La> left;
        wmma::fragment<wmma::matrix_b, m, n, k, T, Lb> right;
        wmma::load_matrix_sync(left, a_rows ? a + at : a + at * wide_m, a_rows ? depth : wide_m);
        wmma::load_matrix_sync(right, b_rows ? b + at * wide_n : b + at, b_rows ? wide_n : depth);
        wmma::mma_sync(sums, left, right, sums);
    }
    wmma::store_matrix_sync(c, sums, order == wmma::mem_row_major ? n : m, order);
}

// z has a product of each pair of orders; the last is stored by columns.
template <int m, int n, int k, class T, class E, class Sum>
__global__ void all_orders(const E* a, const E* at, const E* b, const E* bt, Sum* z, int depth) {
    using wmma::col_major, wmma::row_major;
    multiply<m, n, k, T, E, Sum, row_major, row_major>(a, b, z, depth, wmma::mem_row_major);
    multiply<m, n, k, T, E, Sum, row_major, col_major>(a, bt, z + m * n, depth, wmma::mem_row_major);
    multiply<m, n, k, T, E, Sum, col_major, row_major>(at, b, z + 2 * m * n, depth, wmma::mem_row_major);
    multiply<m, n, k, T, E, Sum, col_major, col_major>(at, bt, z + 3 * m * n, depth, wmma::mem_col_major);
}

extern "C" void half_16(const half* a, const half* at, const half* b, const half* bt, float* z, int depth, cudaStream_t stream) {
    all_orders<16, 16, 16, half, half, float><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void half_32(const half* a, const half* at, const half* b, const half* bt, float* z, int depth, cudaStream_t stream) {
    all_orders<32, 8, 16, half, half, float><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void half_8(const half* a, const half* at, const half* b, const half* bt, float* z, int depth, cudaStream_t stream) {
    all_orders<8, 32, 16, half, half, float><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void half_sums_16(const half* a, const half* at, const half* b, const half* bt, half* z, int depth, cudaStream_t stream) {
    all_orders<16, 16, 16, half, half, half><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void half_sums_8(const half* a, const half* at, const half* b, const half* bt, half* z, int depth, cudaStream_t stream) {
    all_orders<8, 32, 16, half, half, half><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void bf16_16(const __nv_bfloat16* a, const __nv_bfloat16* at, const __nv_bfloat16* b, const __nv_bfloat16* bt, float* z, int depth, cudaStream_t stream) {
    all_orders<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void bf16_32(const __nv_bfloat16* a, const __nv_bfloat16* at, const __nv_bfloat16* b, const __nv_bfloat16* bt, float* z, int depth, cudaStream_t stream) {
    all_orders<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void bf16_8(const __nv_bfloat16* a, const __nv_bfloat16* at, const __nv_bfloat16* b, const __nv_bfloat16* bt, float* z, int depth, cudaStream_t stream) {
    all_orders<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void s8_16(const signed char* a, const signed char* at, const signed char* b, const signed char* bt, int* z, int depth, cudaStream_t stream) {
    all_orders<16, 16, 16, signed char, signed char, int><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void u8_32(const unsigned char* a, const unsigned char* at, const unsigned char* b, const unsigned char* bt, int* z, int depth, cudaStream_t stream) {
    all_orders<32, 8, 16, unsigned char, unsigned char, int><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void s8_8(const signed char* a, const signed char* at, const signed char* b, const signed char* bt, int* z, int depth, cudaStream_t stream) {
    all_orders<8, 32, 16, signed char, signed char, int><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void tf32_16(const float* a, const float* at, const float* b, const float* bt, float* z, int depth, cudaStream_t stream) {
    all_orders<16, 16, 8, wmma::precision::tf32, float, float><<<1, 32>>>(a, at, b, bt, z, depth);
}
extern "C" void double_8(const double* a, const double* at, const double* b, const double* bt, double* z, int depth, cudaStream_t stream) {
    all_orders<8, 8, 4, double, double, double><<<1, 32>>>(a, at, b, bt, z, depth);
}

// ---- where elements lie ----

template <class F, class T, class E> __global__ void shown(const E* x, T* z, int leading) {
    F f;
    wmma::load_matrix_sync(f, x, leading);
    for (int i = 0; i < f.num_elements; ++i) z[f.num_elements * threadIdx.x + i] = f.x[i];
}
extern "C" void shown_a(const half* x, half* z, int n, cudaStream_t stream) {
    shown<wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>><<<1, 32>>>(x, z, n);
}
extern "C" void shown_b(const half* x, half* z, int n, cudaStream_t stream) {
    shown<wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>><<<1, 32>>>(x, z, n);
}
extern "C" void shown_tf32(const float* x, float* z, int n, cudaStream_t stream) {
    shown<wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major>><<<1, 32>>>(x, z, n);
}

__global__ void shown_sums_kernel(const float* x, float* z) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
    wmma::load_matrix_sync(f, x, 16, wmma::mem_row_major);
    for (int i = 0; i < f.num_elements; ++i) z[f.num_elements * threadIdx.x + i] = f.x[i];
}
extern "C" void shown_sums(const float* x, float* z, cudaStream_t stream) { shown_sums_kernel<<<1, 32>>>(x, z); }

// ---- elements of a fragment, sums of another type, saturation, tf32 ----

__global__ void scaled_kernel(const half* a, const half* b, const float* c, float* z) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums, old;
    wmma::fill_fragment(sums, 0.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sums, left, right, sums);
    wmma::load_matrix_sync(old, c, 16, wmma::mem_row_major);
    for (int i = 0; i < old.num_elements; ++i) old.x[i] = 2.0f * sums.x[i] + 0.5f * old.x[i];
    wmma::store_matrix_sync(z, old, 16, wmma::mem_row_major);
}
extern "C" void scaled(const half* a, const half* b, const float* c, float* z, cudaStream_t stream) { scaled_kernel<<<1, 32>>>(a, b, c, z); }

__global__ void mixed_kernel(const half* a, const half* b, float* z) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> wide;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> narrow;
    wmma::fill_fragment(narrow, half(1.0f));
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(wide, left, right, narrow);
    wmma::mma_sync(narrow, left, right, wide);
    for (int i = 0; i < wide.num_elements; ++i) wide.x[i] = __half2float(narrow.x[i]);
    wmma::store_matrix_sync(z, wide, 16, wmma::mem_row_major);
}
extern "C" void mixed(const half* a, const half* b, float* z, cudaStream_t stream) { mixed_kernel<<<1, 32>>>(a, b, z); }

__global__ void saturated_kernel(const signed char* a, int* z) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sums, wrapped;
    wmma::fill_fragment(sums, 0x7fffffff);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, a, 16);
    wmma::mma_sync(wrapped, left, right, sums);
    wmma::mma_sync(sums, left, right, sums, true);
    wmma::store_matrix_sync(z, sums, 16, wmma::mem_row_major);
    wmma::store_matrix_sync(z + 256, wrapped, 16, wmma::mem_row_major);
}
extern "C" void saturated(const signed char* a, int* z, cudaStream_t stream) { saturated_kernel<<<1, 32>>>(a, z); }

__global__ void rounded_kernel(const float* x, float* z, int n) {
    if (int i = threadIdx.x; i < n) z[i] = wmma::__float_to_tf32(x[i]);
}
extern "C" void rounded(const float* x, float* z, int n, cudaStream_t stream) { rounded_kernel<<<1, 32>>>(x, z, n); }

// ---- a tile in shared memory: counts ----

template <class E, int stride> __global__ void from_tile(const E* x, E* z) {
    __shared__ alignas(128) E tile[16 * stride];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i / 16 * stride + i % 16] = x[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, E, wmma::row_major> f;
    wmma::load_matrix_sync(f, tile, stride);  // counted
    for (int i = 0; i < 8; ++i) z[8 * threadIdx.x + i] = f.x[i];
}
extern "C" void tile_16(const half* x, half* z, cudaStream_t stream) { from_tile<half, 16><<<1, 32>>>(x, z); }
extern "C" void tile_24(const half* x, half* z, cudaStream_t stream) { from_tile<half, 24><<<1, 32>>>(x, z); }
extern "C" void tile_64(const half* x, half* z, cudaStream_t stream) { from_tile<half, 64><<<1, 32>>>(x, z); }
extern "C" void tile_of_bf16(const __nv_bfloat16* x, __nv_bfloat16* z, cudaStream_t stream) { from_tile<__nv_bfloat16, 24><<<1, 32>>>(x, z); }

// ---- wrong ----

__global__ void some_lanes(const half* x, half* z, int lanes) {
    if (threadIdx.x >= lanes) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
    wmma::load_matrix_sync(f, x, 16);  // some lanes
    z[threadIdx.x] = f.x[0];
}
extern "C" void lanes_missing(const half* x, half* z, int n, cudaStream_t stream) { some_lanes<<<1, 32>>>(x, z, n); }
extern "C" void small_block(const half* x, half* z, int n, cudaStream_t stream) { some_lanes<<<1, n>>>(x, z, n); }

__global__ void in_both_branches(const half* x, half* z) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
    if (threadIdx.x < 16) wmma::load_matrix_sync(f, x, 16);
    else wmma::load_matrix_sync(f, x + 256, 16);
    z[threadIdx.x] = f.x[0];
}
extern "C" void both_branches(const half* x, half* z, cudaStream_t stream) { in_both_branches<<<1, 32>>>(x, z); }

__global__ void odd(const half* x, half* z, int start, int stride) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
    wmma::load_matrix_sync(f, x + start, stride);
    z[threadIdx.x] = f.x[0];
}
extern "C" void odd_stride(const half* x, half* z, int n, cudaStream_t stream) { odd<<<1, 32>>>(x, z, 0, n); }
extern "C" void odd_start(const half* x, half* z, int n, cudaStream_t stream) { odd<<<1, 32>>>(x, z, n, 16); }

__global__ void stored_too_far(const half* x, float* z) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 1.0f);
    wmma::store_matrix_sync(z + 16, sums, 16, wmma::mem_row_major);
}
extern "C" void too_far(const half* x, float* z, cudaStream_t stream) { stored_too_far<<<1, 32>>>(x, z); }

template <bool waits> __global__ void copied(const half* x, half* z) {
    __shared__ alignas(128) half tile[256];
    __pipeline_memcpy_async(&tile[8 * threadIdx.x], &x[8 * threadIdx.x], 16);
    __pipeline_commit();
    if (waits) __pipeline_wait_prior(0);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
    wmma::load_matrix_sync(f, tile, 16);
    for (int i = 0; i < 8; ++i) z[8 * threadIdx.x + i] = f.x[i];
}
extern "C" void waited(const half* x, half* z, cudaStream_t stream) { copied<true><<<1, 32>>>(x, z); }
extern "C" void not_waited(const half* x, half* z, cudaStream_t stream) { copied<false><<<1, 32>>>(x, z); }

template <bool waits> __global__ void two_warps(const half* x, float* z) {
    __shared__ alignas(128) float tile[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 2.0f);
    if (threadIdx.x < 32) wmma::store_matrix_sync(tile, sums, 16, wmma::mem_row_major);
    if (waits) __syncthreads();
    z[threadIdx.x] = tile[4 * threadIdx.x];
}
extern "C" void between_warps(const half* x, float* z, cudaStream_t stream) { two_warps<true><<<1, 64>>>(x, z); }
extern "C" void raced(const half* x, float* z, cudaStream_t stream) { two_warps<false><<<1, 64>>>(x, z); }
