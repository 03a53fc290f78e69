// Micro-kernels on shared memory: which lane touches which bank, with 32, 64 and 128 bits a lane.
//
// As in global.cu, n = 1024 and x[i] is a pseudo-random whole number. Blocks are single warps unless it says otherwise:
// a request is one warp's, and so are its conflicts.

#include <cuda_fp16.h>

#define ENTRY(name, T, blocks, threads, ...)                               \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        __VA_ARGS__<<<blocks, threads, 0, stream>>>(x, out, n);            \
    }

// ---- patterns: the element of the tile that a lane touches ----

template <unsigned stride> struct At {
    static __device__ unsigned of(unsigned lane) { return stride * lane; }
};
using Linear = At<1>;

template <unsigned stride> struct Mirrored {  // the elements of At, in the opposite order
    static __device__ unsigned of(unsigned lane) { return stride * (31 - lane); }
};

template <unsigned lanes> struct Each {  // as many neighbours share one element
    static __device__ unsigned of(unsigned lane) { return lane / lanes; }
};

template <unsigned count> struct Modulo {  // lanes that far apart share one element
    static __device__ unsigned of(unsigned lane) { return lane % count; }
};

template <unsigned factor, unsigned offset = 0> struct Permuted {  // the factor is odd
    static __device__ unsigned of(unsigned lane) { return (factor * lane + offset) % 32; }
};

template <unsigned mask> struct Swap {
    static __device__ unsigned of(unsigned lane) { return lane ^ mask; }
};

// A warp stores to a tile by one pattern and loads from it by another.
template <class V, unsigned size, class To, class From, class T> __global__ void through(const T* x, T* out, int n) {
    __shared__ V tile[size];
    unsigned lane = threadIdx.x, i = 32 * blockIdx.x + lane;
    tile[To::of(lane)] = reinterpret_cast<const V*>(x)[i];
    __syncwarp();
    reinterpret_cast<V*>(out)[i] = tile[From::of(lane)];
}
template <class V, unsigned stride, class T> __global__ void strided(const T* x, T* out, int n) {
    __shared__ V tile[32 * stride];
    unsigned lane = threadIdx.x, i = 32 * blockIdx.x + lane;
    tile[At<stride>::of(lane)] = reinterpret_cast<const V*>(x)[i];
    __syncwarp();
    reinterpret_cast<V*>(out)[i] = tile[Mirrored<stride>::of(lane)];
}

// 32 bits: a stride of 2^k words is a conflict of 2^k ways, an odd one is none.
ENTRY(words_stride_1, float, 32, 32, strided<float, 1>)
ENTRY(words_stride_2, float, 32, 32, strided<float, 2>)
ENTRY(words_stride_3, float, 32, 32, strided<float, 3>)
ENTRY(words_stride_4, float, 32, 32, strided<float, 4>)
ENTRY(words_stride_5, float, 32, 32, strided<float, 5>)
ENTRY(words_stride_6, float, 32, 32, strided<float, 6>)
ENTRY(words_stride_8, float, 32, 32, strided<float, 8>)
ENTRY(words_stride_12, float, 32, 32, strided<float, 12>)
ENTRY(words_stride_16, float, 32, 32, strided<float, 16>)
ENTRY(words_stride_17, float, 32, 32, strided<float, 17>)
ENTRY(words_stride_31, float, 32, 32, strided<float, 31>)
ENTRY(words_stride_32, float, 32, 32, strided<float, 32>)
ENTRY(words_stride_33, float, 32, 32, strided<float, 33>)

// 64 bits: half a warp at a time fills the banks.
ENTRY(pairs_stride_1, float, 32, 32, strided<float2, 1>)
ENTRY(pairs_stride_2, float, 32, 32, strided<float2, 2>)
ENTRY(pairs_stride_3, float, 32, 32, strided<float2, 3>)
ENTRY(pairs_stride_4, float, 32, 32, strided<float2, 4>)
ENTRY(pairs_stride_8, float, 32, 32, strided<float2, 8>)
ENTRY(pairs_stride_16, float, 32, 32, strided<float2, 16>)
ENTRY(pairs_stride_17, float, 32, 32, strided<float2, 17>)
ENTRY(doubles_stride_1, double, 32, 32, strided<double, 1>)
ENTRY(doubles_stride_16, double, 32, 32, strided<double, 16>)

// 128 bits: a quarter of a warp at a time.
ENTRY(quads_stride_1, float, 32, 32, strided<float4, 1>)
ENTRY(quads_stride_2, float, 32, 32, strided<float4, 2>)
ENTRY(quads_stride_3, float, 32, 32, strided<float4, 3>)
ENTRY(quads_stride_4, float, 32, 32, strided<float4, 4>)
ENTRY(quads_stride_8, float, 32, 32, strided<float4, 8>)
ENTRY(quads_stride_9, float, 32, 32, strided<float4, 9>)

// Less than a word a lane: several lanes share a word, which is no conflict. A float3 is three words.
ENTRY(bytes_stride_1, char, 32, 32, strided<char, 1>)
ENTRY(bytes_stride_4, char, 32, 32, strided<char, 4>)
ENTRY(bytes_stride_32, char, 32, 32, strided<char, 32>)
ENTRY(shorts_stride_1, short, 32, 32, strided<short, 1>)
ENTRY(shorts_stride_2, short, 32, 32, strided<short, 2>)
ENTRY(shorts_stride_64, short, 32, 32, strided<short, 64>)
ENTRY(halves_stride_1, half, 32, 32, strided<half, 1>)
ENTRY(triples_stride_1, float, 32, 32, strided<float3, 1>)

// Lanes that load the same element: a broadcast costs nothing.
ENTRY(words_same, float, 32, 32, through<float, 32, Linear, Each<32>>)
ENTRY(words_each_2, float, 32, 32, through<float, 32, Linear, Each<2>>)
ENTRY(words_modulo_16, float, 32, 32, through<float, 32, Linear, Modulo<16>>)
ENTRY(pairs_same, float, 32, 32, through<float2, 32, Linear, Each<32>>)
ENTRY(pairs_each_2, float, 32, 32, through<float2, 32, Linear, Each<2>>)
ENTRY(pairs_each_4, float, 32, 32, through<float2, 32, Linear, Each<4>>)
ENTRY(pairs_each_16, float, 32, 32, through<float2, 32, Linear, Each<16>>)
ENTRY(pairs_modulo_2, float, 32, 32, through<float2, 32, Linear, Modulo<2>>)
ENTRY(pairs_modulo_16, float, 32, 32, through<float2, 32, Linear, Modulo<16>>)
ENTRY(quads_same, float, 32, 32, through<float4, 32, Linear, Each<32>>)
ENTRY(quads_each_2, float, 32, 32, through<float4, 32, Linear, Each<2>>)
ENTRY(quads_each_4, float, 32, 32, through<float4, 32, Linear, Each<4>>)
ENTRY(quads_each_8, float, 32, 32, through<float4, 32, Linear, Each<8>>)
ENTRY(quads_modulo_2, float, 32, 32, through<float4, 32, Linear, Modulo<2>>)
ENTRY(quads_modulo_8, float, 32, 32, through<float4, 32, Linear, Modulo<8>>)
ENTRY(quads_modulo_16, float, 32, 32, through<float4, 32, Linear, Modulo<16>>)

// The same elements in another order: which lanes share a phase decides.
ENTRY(words_permuted, float, 32, 32, through<float, 32, Permuted<5>, Permuted<13, 7>>)
ENTRY(pairs_permuted, float, 32, 32, through<float2, 32, Permuted<5>, Permuted<13, 7>>)
ENTRY(pairs_swapped, float, 32, 32, through<float2, 32, Swap<1>, Swap<16>>)
ENTRY(quads_permuted, float, 32, 32, through<float4, 32, Permuted<5>, Permuted<13, 7>>)
ENTRY(quads_swapped, float, 32, 32, through<float4, 32, Swap<1>, Swap<16>>)

// ---- some lanes only ----

struct Odd {
    static __device__ bool works(unsigned lane) { return lane % 2; }
};
template <unsigned step> struct Every {
    static __device__ bool works(unsigned lane) { return lane % step == 0; }
};
template <unsigned begin, unsigned end> struct Between {
    static __device__ bool works(unsigned lane) { return lane - begin < end - begin; }
};

template <class V, unsigned stride, class Lanes> __global__ void some_lanes(const float* x, float* out, int n) {
    __shared__ V tile[32 * stride];
    unsigned lane = threadIdx.x, i = 32 * blockIdx.x + lane;
    if (Lanes::works(lane)) {
        tile[At<stride>::of(lane)] = reinterpret_cast<const V*>(x)[i];
    }
    __syncwarp();
    if (Lanes::works(lane)) {
        reinterpret_cast<V*>(out)[i] = tile[At<stride>::of(lane)];
    }
}
ENTRY(words_odd_lanes, float, 32, 32, some_lanes<float, 8, Odd>)
ENTRY(words_first_5, float, 32, 32, some_lanes<float, 16, Between<0, 5>>)
ENTRY(pairs_odd_lanes, float, 32, 32, some_lanes<float2, 1, Odd>)
ENTRY(pairs_every_4, float, 32, 32, some_lanes<float2, 1, Every<4>>)
ENTRY(pairs_first_1, float, 32, 32, some_lanes<float2, 1, Between<0, 1>>)
ENTRY(pairs_first_16, float, 32, 32, some_lanes<float2, 1, Between<0, 16>>)
ENTRY(pairs_first_17, float, 32, 32, some_lanes<float2, 2, Between<0, 17>>)
ENTRY(pairs_middle, float, 32, 32, some_lanes<float2, 1, Between<8, 24>>)
ENTRY(quads_odd_lanes, float, 32, 32, some_lanes<float4, 1, Odd>)
ENTRY(quads_every_8, float, 32, 32, some_lanes<float4, 1, Every<8>>)
ENTRY(quads_first_1, float, 32, 32, some_lanes<float4, 1, Between<0, 1>>)
ENTRY(quads_first_8, float, 32, 32, some_lanes<float4, 1, Between<0, 8>>)
ENTRY(quads_first_16, float, 32, 32, some_lanes<float4, 1, Between<0, 16>>)
ENTRY(quads_first_9, float, 32, 32, some_lanes<float4, 2, Between<0, 9>>)
ENTRY(quads_middle, float, 32, 32, some_lanes<float4, 1, Between<4, 12>>)

// ---- addresses from memory: 32 random patterns a launch ----

template <class V, unsigned size> __global__ void lookup(const int* x, int* out, int n) {
    __shared__ V table[size];
    unsigned lane = threadIdx.x, i = 32 * blockIdx.x + lane;
#pragma unroll
    for (unsigned k = lane; k < size; k += 32) {
        table[k] = reinterpret_cast<const V*>(x)[k];
    }
    __syncwarp();
    reinterpret_cast<V*>(out)[i] = table[x[i] % size];
}
ENTRY(words_random_of_256, int, 32, 32, lookup<int, 256>)
ENTRY(pairs_random_of_32, int, 32, 32, lookup<int2, 32>)
ENTRY(pairs_random_of_256, int, 32, 32, lookup<int2, 256>)
ENTRY(quads_random_of_32, int, 32, 32, lookup<int4, 32>)
ENTRY(quads_random_of_256, int, 32, 32, lookup<int4, 256>)

__global__ void lookup_some(const int* x, int* out, int n) {
    __shared__ int2 table[32];
    unsigned lane = threadIdx.x, i = 32 * blockIdx.x + lane;
    table[lane] = reinterpret_cast<const int2*>(x)[lane];
    __syncwarp();
    if (x[n + i] & 1) {
        reinterpret_cast<int2*>(out)[i] = table[x[i] % 32];
    }
}
ENTRY(pairs_random_lanes, int, 32, 32, lookup_some)

// ---- whole kernels ----

// A tile of 32 x 32, turned round by 32 x 8 threads; a padded row makes a column's words lie in 32 banks.
template <unsigned padding> __global__ void transpose(const float* x, float* out, int n) {
    __shared__ float tile[32][32 + padding];
#pragma unroll
    for (unsigned row = threadIdx.y; row < 32; row += 8) {
        tile[row][threadIdx.x] = x[32 * row + threadIdx.x];
    }
    __syncthreads();
#pragma unroll
    for (unsigned row = threadIdx.y; row < 32; row += 8) {
        out[32 * row + threadIdx.x] = tile[threadIdx.x][row];
    }
}
ENTRY(transpose_unpadded, float, 1, dim3(32, 8), transpose<0>)
ENTRY(transpose_padded, float, 1, dim3(32, 8), transpose<1>)
ENTRY(transpose_padded_by_2, float, 1, dim3(32, 8), transpose<2>)

// A warp covers two rows of a 16 x 16 tile.
template <unsigned padding> __global__ void transpose_small(const float* x, float* out, int n) {
    __shared__ float tile[16][16 + padding];
    tile[threadIdx.y][threadIdx.x] = x[16 * threadIdx.y + threadIdx.x];
    __syncthreads();
    out[16 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
ENTRY(transpose_16_unpadded, float, 1, dim3(16, 16), transpose_small<0>)
ENTRY(transpose_16_padded, float, 1, dim3(16, 16), transpose_small<1>)

// Sums of 256 in log2(256) steps: by a growing stride, which conflicts, and by a shrinking one.
__global__ void tree_growing(const float* x, float* out, int n) {
    __shared__ float sums[256];
    unsigned t = threadIdx.x;
    sums[t] = x[256 * blockIdx.x + t];
    for (unsigned stride = 1; stride < 256; stride *= 2) {
        __syncthreads();
        unsigned k = 2 * stride * t;
        if (k < 256) {
            sums[k] += sums[k + stride];
        }
    }
    if (t == 0) {
        out[blockIdx.x] = sums[0];
    }
}
ENTRY(sum_growing_stride, float, 4, 256, tree_growing)

__global__ void tree_shrinking(const float* x, float* out, int n) {
    __shared__ float sums[256];
    unsigned t = threadIdx.x;
    sums[t] = x[256 * blockIdx.x + t];
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) {
            sums[t] += sums[t + stride];
        }
    }
    if (t == 0) {
        out[blockIdx.x] = sums[0];
    }
}
ENTRY(sum_shrinking_stride, float, 4, 256, tree_shrinking)

// Every lane reads all of the tile, the same word as its neighbours. nvcc reads four words at a time.
__global__ void add_tile(const float* x, float* out, int n) {
    __shared__ float tile[32];
    unsigned lane = threadIdx.x, i = 32 * blockIdx.x + lane;
    tile[lane] = x[i];
    __syncwarp();
    float sum = x[i];
#pragma unroll
    for (unsigned k = 0; k < 32; ++k) {
        sum = 2 * sum - tile[k];
    }
    out[i] = sum;
}
ENTRY(broadcast_in_turn, float, 32, 32, add_tile)

// One instruction, two arrays.
__global__ void through_either(const float* x, float* out, int n) {
    __shared__ float even[32], odd[32];
    unsigned lane = threadIdx.x, i = 32 * blockIdx.x + lane;
    float* own = lane % 2 ? odd : even;
    float* other = lane % 2 ? even : odd;
    own[lane] = x[i];
    __syncwarp();
    out[i] = other[lane ^ 1];
}
ENTRY(either_array, float, 32, 32, through_either)

// Blocks of 100 threads, shared memory whose size the launch gives.
__global__ void rotate(const float* x, float* out, int n) {
    extern __shared__ float dynamic[];
    unsigned t = threadIdx.x, i = 100 * blockIdx.x + t;
    dynamic[2 * t] = x[i];
    __syncthreads();
    out[i] = dynamic[2 * ((t + 1) % 100)];
}
extern "C" void dynamic_rotated(const float* x, float* out, int n, cudaStream_t stream) {
    rotate<<<10, 100, 200 * sizeof(float), stream>>>(x, out, n);
}
