// Micro-kernels on global memory: which lane reads and writes which address.
//
// x and out hold 40 * n elements, n = 1024, so that the widest stride stays inside. x[i] is a pseudo-random whole
// number below 1024 (below 128 in a char). Every entry point launches one kernel, once; what it computes is stored
// and depends on x, and one access in the source is one instruction of the machine, unless its comment says otherwise.

#include <cuda_fp16.h>

#define ENTRY(name, T, blocks, threads, ...)                               \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        __VA_ARGS__<<<blocks, threads, 0, stream>>>(x, out, n);            \
    }

// ---- patterns: the element that thread i of the grid touches ----

template <unsigned stride, unsigned offset = 0> struct At {
    static __device__ unsigned of(unsigned i) { return stride * i + offset; }
};
using Linear = At<1>;

template <unsigned lanes> struct Each {  // as many neighbours share one element
    static __device__ unsigned of(unsigned i) { return i / lanes; }
};

template <unsigned mask> struct Swap {
    static __device__ unsigned of(unsigned i) { return i ^ mask; }
};

struct Scatter {  // a permutation of 0..1023: the factor is odd
    static __device__ unsigned of(unsigned i) { return i * 577 & 1023; }
};

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <class V, class From, class To, class T> __global__ void copy(const T* x, T* out, int n) {
    unsigned i = thread();
    if (i < n) {
        reinterpret_cast<V*>(out)[To::of(i)] = reinterpret_cast<const V*>(x)[From::of(i)];
    }
}

// Widths. double and long long are one 8-byte access each; a float3 has the alignment of a float: three accesses.
ENTRY(copy_char, char, 8, 128, copy<char, Linear, Linear>)
ENTRY(copy_short, short, 8, 128, copy<short, Linear, Linear>)
ENTRY(copy_half, half, 8, 128, copy<half, Linear, Linear>)
ENTRY(copy_half2, half, 8, 128, copy<half2, Linear, Linear>)
ENTRY(copy_char4, char, 8, 128, copy<char4, Linear, Linear>)
ENTRY(copy_float, float, 8, 128, copy<float, Linear, Linear>)
ENTRY(copy_int2, int, 8, 128, copy<int2, Linear, Linear>)
ENTRY(copy_float2, float, 8, 128, copy<float2, Linear, Linear>)
ENTRY(copy_double, double, 8, 128, copy<double, Linear, Linear>)
ENTRY(copy_long_long, long long, 8, 128, copy<long long, Linear, Linear>)
ENTRY(copy_float3, float, 8, 128, copy<float3, Linear, Linear>)
ENTRY(copy_float4, float, 8, 128, copy<float4, Linear, Linear>)
ENTRY(copy_double2, double, 8, 128, copy<double2, Linear, Linear>)

ENTRY(load_stride_2, float, 8, 128, copy<float, At<2>, Linear>)
ENTRY(load_stride_3, float, 8, 128, copy<float, At<3>, Linear>)
ENTRY(load_stride_4, float, 8, 128, copy<float, At<4>, Linear>)
ENTRY(load_stride_5, float, 8, 128, copy<float, At<5>, Linear>)
ENTRY(load_stride_8, float, 8, 128, copy<float, At<8>, Linear>)
ENTRY(load_stride_16, float, 8, 128, copy<float, At<16>, Linear>)
ENTRY(load_stride_17, float, 8, 128, copy<float, At<17>, Linear>)
ENTRY(load_stride_31, float, 8, 128, copy<float, At<31>, Linear>)
ENTRY(load_stride_32, float, 8, 128, copy<float, At<32>, Linear>)
ENTRY(load_stride_33, float, 8, 128, copy<float, At<33>, Linear>)
ENTRY(store_stride_2, float, 8, 128, copy<float, Linear, At<2>>)
ENTRY(store_stride_3, float, 8, 128, copy<float, Linear, At<3>>)
ENTRY(store_stride_4, float, 8, 128, copy<float, Linear, At<4>>)
ENTRY(store_stride_5, float, 8, 128, copy<float, Linear, At<5>>)
ENTRY(store_stride_8, float, 8, 128, copy<float, Linear, At<8>>)
ENTRY(store_stride_17, float, 8, 128, copy<float, Linear, At<17>>)
ENTRY(store_stride_32, float, 8, 128, copy<float, Linear, At<32>>)
ENTRY(store_stride_33, float, 8, 128, copy<float, Linear, At<33>>)
ENTRY(stride_3_char, char, 8, 128, copy<char, At<3>, At<3>>)
ENTRY(stride_33_char, char, 8, 128, copy<char, At<33>, At<33>>)
ENTRY(stride_3_short, short, 8, 128, copy<short, At<3>, At<3>>)
ENTRY(stride_2_float2, float, 8, 128, copy<float2, At<2>, At<2>>)
ENTRY(stride_5_float2, float, 8, 128, copy<float2, At<5>, At<5>>)
ENTRY(stride_3_double, double, 8, 128, copy<double, At<3>, At<3>>)
ENTRY(stride_2_float4, float, 8, 128, copy<float4, At<2>, At<2>>)
ENTRY(stride_3_float4, float, 8, 128, copy<float4, At<3>, At<3>>)

// Starts that are no multiple of a sector.
ENTRY(load_offset_1, float, 8, 128, copy<float, At<1, 1>, Linear>)
ENTRY(load_offset_3, float, 8, 128, copy<float, At<1, 3>, Linear>)
ENTRY(load_offset_7, float, 8, 128, copy<float, At<1, 7>, Linear>)
ENTRY(store_offset_1, float, 8, 128, copy<float, Linear, At<1, 1>>)
ENTRY(store_offset_3, float, 8, 128, copy<float, Linear, At<1, 3>>)
ENTRY(store_offset_7, float, 8, 128, copy<float, Linear, At<1, 7>>)
ENTRY(offset_5_char, char, 8, 128, copy<char, At<1, 5>, At<1, 7>>)
ENTRY(offset_3_short, short, 8, 128, copy<short, At<1, 3>, At<1, 1>>)
ENTRY(offset_1_float2, float, 8, 128, copy<float2, At<1, 1>, At<1, 3>>)
ENTRY(offset_1_float4, float, 8, 128, copy<float4, At<1, 1>, At<1, 3>>)

// Order within the warp, and lanes that share an element.
ENTRY(reversed, float, 8, 128, copy<float, Swap<1023>, Linear>)
ENTRY(reversed_float4, float, 8, 128, copy<float4, Swap<1023>, Linear>)
ENTRY(neighbours_swapped, float, 8, 128, copy<float, Swap<1>, Swap<1>>)
ENTRY(halves_swapped_float2, float, 8, 128, copy<float2, Swap<16>, Swap<16>>)
ENTRY(scattered, float, 8, 128, copy<float, Scatter, Scatter>)
ENTRY(scattered_float2, float, 8, 128, copy<float2, Scatter, Scatter>)
ENTRY(scattered_float4, float, 8, 128, copy<float4, Scatter, Scatter>)
ENTRY(broadcast, float, 8, 128, copy<float, Each<32>, Linear>)
ENTRY(broadcast_float2, float, 8, 128, copy<float2, Each<32>, Linear>)
ENTRY(broadcast_float4, float, 8, 128, copy<float4, Each<32>, Linear>)
ENTRY(pairs, float, 8, 128, copy<float, Each<2>, Linear>)
ENTRY(pairs_float2, float, 8, 128, copy<float2, Each<2>, Linear>)
ENTRY(pairs_float4, float, 8, 128, copy<float4, Each<2>, Linear>)
ENTRY(fours_float4, float, 8, 128, copy<float4, Each<4>, Linear>)
ENTRY(same_for_all_blocks, float, 8, 128, copy<float, At<0, 5>, Linear>)

// Blocks whose last warp is not full, and a grid whose last block is not.
ENTRY(blocks_of_33, float, 32, 33, copy<float, Linear, Linear>)
ENTRY(blocks_of_96, float, 11, 96, copy<float, Linear, Linear>)
ENTRY(blocks_of_100, float, 11, 100, copy<float, Linear, Linear>)
ENTRY(blocks_of_100_float4, float, 11, 100, copy<float4, Linear, Linear>)

// All lanes of a warp store the same value to one element.
template <class V, class T> __global__ void store_one(const T* x, T* out, int n) {
    unsigned warp = thread() / 32;
    reinterpret_cast<V*>(out)[warp] = reinterpret_cast<const V*>(x)[warp];
}
ENTRY(store_one_float, float, 8, 128, store_one<float>)
ENTRY(store_one_float4, float, 8, 128, store_one<float4>)

// ---- some lanes only ----

struct Odd {
    static __device__ bool works(unsigned lane) { return lane % 2; }
};
template <unsigned lanes> struct First {
    static __device__ bool works(unsigned lane) { return lane < lanes; }
};
template <unsigned chosen> struct Only {
    static __device__ bool works(unsigned lane) { return lane == chosen; }
};

template <class V, class Lanes, class T> __global__ void some_copy(const T* x, T* out, int n) {
    unsigned i = thread();
    if (Lanes::works(i % 32)) {
        reinterpret_cast<V*>(out)[i] = reinterpret_cast<const V*>(x)[i];
    }
}
ENTRY(odd_lanes, float, 8, 128, some_copy<float, Odd>)
ENTRY(odd_lanes_float4, float, 8, 128, some_copy<float4, Odd>)
ENTRY(first_5_lanes, float, 8, 128, some_copy<float, First<5>>)
ENTRY(first_20_lanes_double, double, 8, 128, some_copy<double, First<20>>)
ENTRY(first_9_lanes_float4, float, 8, 128, some_copy<float4, First<9>>)
ENTRY(only_lane_7, float, 8, 128, some_copy<float, Only<7>>)

__global__ void lanes_by_data(const int* x, int* out, int n) {
    unsigned i = thread();
    if (x[i] & 1) {
        out[i] = x[n + i];
    }
}
ENTRY(random_lanes, int, 8, 128, lanes_by_data)

// ---- addresses from memory ----

template <class V> __global__ void gather(const int* x, int* out, int n) {
    unsigned i = thread();
    reinterpret_cast<V*>(out)[i] = reinterpret_cast<const V*>(x)[x[i]];
}
ENTRY(gather_int, int, 8, 128, gather<int>)
ENTRY(gather_int2, int, 8, 128, gather<int2>)
ENTRY(gather_int4, int, 8, 128, gather<int4>)

template <unsigned count> __global__ void gather_few(const int* x, int* out, int n) {
    unsigned i = thread();
    reinterpret_cast<int4*>(out)[i] = reinterpret_cast<const int4*>(x)[x[i] % count];
}
ENTRY(gather_int4_of_16, int, 8, 128, gather_few<16>)

// ---- several accesses a thread ----

__global__ void stencil(const float* x, float* out, int n) {
    unsigned i = thread();
    out[i] = x[i] + x[i + 1] + x[i + 2];
}
ENTRY(three_point_stencil, float, 8, 128, stencil)

// Two neighbouring floats: no compiler may make them one float2, which a pointer to float need not be aligned for.
__global__ void add_pairs(const float* x, float* out, int n) {
    unsigned i = thread();
    out[i] = x[2 * i] + x[2 * i + 1];
}
ENTRY(pair_sum, float, 8, 128, add_pairs)

__global__ void add_rows(const float* x, float* out, int n) {
    unsigned i = thread();
    float sum = 0;
    for (unsigned k = 0; k < 8; ++k) {
        sum += x[8 * i + k];
    }
    out[i] = sum;
}
ENTRY(row_of_8_sum, float, 8, 128, add_rows)

// The store may have changed x[i] as far as the compiler knows: it loads again. With __restrict__ it may not.
__global__ void store_between(const float* x, float* out, int n) {
    unsigned i = thread();
    out[i] = x[i] + 1;
    out[n + i] = x[i] + 2;
}
ENTRY(load_again, float, 8, 128, store_between)

__global__ void store_between_restrict(const float* __restrict__ x, float* __restrict__ out, int n) {
    unsigned i = thread();
    out[i] = x[i] + 1;
    out[n + i] = x[i] + 2;
}
ENTRY(load_once, float, 8, 128, store_between_restrict)

// 200 threads for 1024 elements: some threads take six turns, some five.
__global__ void stride_by_grid(const float* x, float* out, int n) {
    for (unsigned i = thread(); i < n; i += gridDim.x * blockDim.x) {
        out[i] = x[i];
    }
}
ENTRY(grid_stride, float, 2, 100, stride_by_grid)

// One instruction, two arrays.
__device__ float elsewhere[1024];

__global__ void from_either(const float* x, float* out, int n) {
    unsigned i = thread();
    const float* from = i % 2 ? x : elsewhere;
    out[i] = from[i];
}
ENTRY(either_array, float, 8, 128, from_either)

// 32 bytes, aligned to 16: nvcc copies them in two pieces of 16.
struct alignas(16) Eight {
    float4 low, high;
};
ENTRY(copy_32_bytes, float, 8, 128, copy<Eight, Linear, Linear>)

// ---- cache hints and volatile ----

__global__ void hinted(const float* x, float* out, int n) {
    unsigned i = thread();
    __stcs(out + i, __ldg(x + i) + __ldcs(x + n + i));
}
ENTRY(cache_hints, float, 8, 128, hinted)

__global__ void unforgetting(const volatile float* x, volatile float* out, int n) {
    unsigned i = thread();
    out[i] = x[i] + x[i];
}
ENTRY(volatile_twice, float, 8, 128, unforgetting)

// ---- blocks of two and three dimensions ----

// 32 x 32 elements; a transposed read goes down the columns.
template <bool transposed> __global__ void plane(const float* x, float* out, int n) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    out[32 * row + column] = x[transposed ? 32 * column + row : 32 * row + column];
}
ENTRY(block_32x8, float, dim3(1, 4), dim3(32, 8), plane<false>)
ENTRY(block_16x16, float, dim3(2, 2), dim3(16, 16), plane<false>)
ENTRY(block_8x4, float, dim3(4, 8), dim3(8, 4), plane<false>)
ENTRY(block_4x32, float, dim3(8, 1), dim3(4, 32), plane<false>)
ENTRY(block_16x16_transposed, float, dim3(2, 2), dim3(16, 16), plane<true>)
ENTRY(block_8x4_transposed, float, dim3(4, 8), dim3(8, 4), plane<true>)

// A box of 5 x 7 x 3 in a volume whose rows are 8 elements apart, and its planes 64.
__global__ void volume(const float* x, float* out, int n) {
    unsigned i = 64 * threadIdx.z + 8 * threadIdx.y + threadIdx.x;
    out[i] = x[i];
}
ENTRY(block_5x7x3, float, 1, dim3(5, 7, 3), volume)
