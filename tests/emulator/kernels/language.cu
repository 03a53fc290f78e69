#include <array>
#include <cstring>
#include <cassert>

// ---- where a thread is ----

__global__ void indices_kernel(int* z) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int deep = blockIdx.z * blockDim.z + threadIdx.z;
    int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    z[(deep * height + y) * width + x] = 100 * (threadIdx.z * blockDim.y + threadIdx.y) + threadIdx.x;
}
extern "C" void indices(int* z, cudaStream_t stream) {
    dim3 blockDim(4, 3, 2);    // host code may use CUDA's names for its own variables
    indices_kernel<<<dim3(2, 1, 2), blockDim, 0, stream>>>(z);
}

// ---- shared memory ----

__global__ void reverse_kernel(const float* x, float* z) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    z[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" void static_shared(const float* x, float* z, cudaStream_t stream) {
    reverse_kernel<<<1, 64, 0, stream>>>(x, z);
}

extern __shared__ unsigned char whole_block[];

__global__ void dynamic_kernel(const float* x, float* z, int n) {
    float* values = reinterpret_cast<float*>(whole_block);
    int* places = reinterpret_cast<int*>(values + n);
    values[threadIdx.x] = x[threadIdx.x];
    places[threadIdx.x] = (threadIdx.x + 5) % n;
    __syncthreads();
    z[threadIdx.x] = values[places[threadIdx.x]];
}
extern "C" void dynamic_shared(const float* x, float* z, int n, cudaStream_t stream) {
    dynamic_kernel<<<1, n, n * (sizeof(float) + sizeof(int)), stream>>>(x, z, n);
}

template <typename T, int N> __global__ void tile_kernel(const T* x, T* z) {
    __shared__ __align__(32) T tile[N][N + 1], other[N];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * N + threadIdx.x];
    if (threadIdx.y == 0) other[threadIdx.x] = threadIdx.x;
    __syncthreads();
    z[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + other[threadIdx.y];
}
extern "C" void template_shared(const double* x, double* z, cudaStream_t stream) {
    tile_kernel<double, 8><<<1, dim3(8, 8), 0, stream>>>(x, z);
}

struct Node { float weight; int next; };
__global__ void struct_kernel(const float* x, float* z) {
    static __shared__ volatile int ready;
    __shared__ alignas(128) Node nodes[32];
    __shared__ union { float f[32]; unsigned u[32]; } bits;
    nodes[threadIdx.x] = Node{x[threadIdx.x], (int)(threadIdx.x + 1) % 32};
    bits.f[threadIdx.x] = -x[threadIdx.x];
    if (threadIdx.x == 0) ready = 1;
    __syncthreads();
    int aligned = reinterpret_cast<size_t>(nodes) % 128 == 0;
    z[threadIdx.x] = nodes[nodes[threadIdx.x].next].weight * ready * aligned + (bits.u[threadIdx.x] >> 31);
}
extern "C" void struct_shared(const float* x, float* z, cudaStream_t stream) {
    struct_kernel<<<1, 32, 0, stream>>>(x, z);
}

// ---- variables of the device ----

__constant__ float weights[3] = {1, 2, 3};
__constant__ const int signs[2] = {1, -1};
__device__ int shift = 10;
__device__ float table[4];

__global__ void variables_kernel(float* z) {
    table[threadIdx.x] = weights[threadIdx.x % 3] * signs[threadIdx.x & 1] + shift;
    z[threadIdx.x] = table[threadIdx.x];
}
extern "C" void device_variables(float* z, cudaStream_t stream) { variables_kernel<<<1, 4, 0, stream>>>(z); }

// ---- functions, templates, lambdas, arguments ----

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
__device__ __forceinline__ float square(float x) { return x * x; }
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

__global__ void functions_kernel(float* z) {
    z[threadIdx.x] = square(threadIdx.x) + factorial(threadIdx.x) + ceil_div(9, 4);
}
extern "C" void functions(float* z, cudaStream_t stream) { functions_kernel<<<ceil_div(1, 6), 6, 0, stream>>>(z); }

template <typename T, typename F> __global__ void map_kernel(const T* x, T* z, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = f(x[i], i);
}
extern "C" void device_lambda(const float* x, float* z, int n, cudaStream_t stream) {
    float scale = 3;
    auto f = [=] __device__ (float value, int i) { return scale * value + i; };
    map_kernel<<<(n + 31) / 32, 32, 0, stream>>>(x, z, n, f);
}

struct Pitched { float* data; int pitch; __device__ float& at(int r, int c) const { return data[r * pitch + c]; } };
struct Parameters { float numbers[20]; Pitched out; };
__global__ void __launch_bounds__(64, 2) by_value_kernel(const __grid_constant__ Parameters p, bool flag,
    char letter, double d) {
    p.out.at(threadIdx.y, threadIdx.x) = p.numbers[threadIdx.x + 4 * threadIdx.y] + (flag ? letter : 0) + d;
}
extern "C" void by_value(float* z, cudaStream_t stream) {
    Parameters p = {{0, 1, 2, 3, 4, 5, 6, 7}, {z, 4}};
    by_value_kernel<<<1, dim3(4, 2), 0, stream>>>(p, true, 'A', 0.5f);
    p.numbers[0] = -1;    // too late: the launch copied its arguments
}

// What nvcc works out of a constant of the host, and of a text.
constexpr std::array<int, 3> known = {1, 2, 3};
constexpr int raw[3] = {4, 5, 6};
__global__ void host_constants_kernel(float* z) {
    __shared__ int letters[strlen("abcd")];
    letters[0] = 3;
    const int second = raw[1];
    z[0] = known[1] + known.at(2);
    z[1] = second + *raw;
    z[2] = sizeof letters / sizeof(int) + std::strlen(__func__);
}
extern "C" void host_constants(float* z, cudaStream_t stream) { host_constants_kernel<<<1, 1, 0, stream>>>(z); }

// Arrays that are const: what the kernel gets is a pointer, to the host's memory.
constexpr float two_numbers[2] = {1, 2};
__global__ void const_arrays_kernel(const char* text, const float* numbers, float* z) {
    z[0] = text && numbers;
    switch (text != nullptr) { case 1: z[1] = 2; goto end; default: }
    end:
}
extern "C" void const_arrays(float* z, cudaStream_t stream) {
    const_arrays_kernel<<<1, 1, 0, stream>>>("text", two_numbers, z);
}

__device__ float twice(float x) { return 2 * x; }
__device__ float half_of(float x) { return x / 2; }
__global__ void pointer_kernel(const float* x, float* z) {
    float (*choose)(float) = threadIdx.x % 2 ? twice : half_of;
    z[threadIdx.x] = choose(x[threadIdx.x]);
}
extern "C" void function_pointers(const float* x, float* z, cudaStream_t stream) {
    pointer_kernel<<<1, 8, 0, stream>>>(x, z);
}

template <int N> __global__ void unrolled_kernel(float* z) {
    float registers[N];
    #pragma unroll
    for (int i = 0; i < N; ++i) registers[i] = i * threadIdx.x;
    float sum = 0;
    #pragma unroll
    for (int i = 0; i < N; ++i) sum += registers[i];
    z[threadIdx.x] = sum;
}
namespace inner { __global__ void add_one_kernel(float* z, const float* maybe) { z[threadIdx.x] += maybe ? 100 : 1; } }
#define RUN(kernel, threads, ...) kernel<<<1, threads, 0, stream>>>(__VA_ARGS__)
extern "C" void launch_forms(float* z, cudaStream_t stream) {
    auto chosen = unrolled_kernel<1 + 3>;
    chosen<<<dim3(1), 4, 0, stream>>>(z);
    inner::add_one_kernel <<< 1 , 4 , 0 , stream >>> ( z , NULL );
    RUN(inner::add_one_kernel, 4, z, nullptr);
}

// ---- vectors ----

__global__ void vector_kernel(const float4* x, float4* z) {
    int i = threadIdx.x;
    float4 v = x[i];                                    // load whole
    v.x += v.w;
    z[i] = v;                                           // store whole
    z[i + 32] = make_float4(v.x, v.y, 0, 0);            // store made
    z[i + 64] = float4{v.z, 1, 2, 3};                   // store braced
    z[i + 96] = {1, 2, 3, v.x};                         // store list
    z[i + 128] = i < 8 ? x[i] : make_float4(0, 0, 0, 1);   // store either
}
extern "C" void vectors(const float* x, float* z, cudaStream_t stream) {
    vector_kernel<<<1, 32, 0, stream>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(z));
}

union Pack { uint4 whole; unsigned char bytes[16]; };
__global__ void pack_kernel(const uint4* x, uint4* z) {
    Pack pack, other;
    pack.whole = x[threadIdx.x];                        // load pack
    for (int i = 0; i < 16; ++i) pack.bytes[i] += i;
    other = pack;
    z[threadIdx.x] = other.whole;                       // store pack
}
extern "C" void packs(const unsigned char* x, unsigned char* z, cudaStream_t stream) {
    pack_kernel<<<1, 2, 0, stream>>>(reinterpret_cast<const uint4*>(x), reinterpret_cast<uint4*>(z));
}

static_assert(sizeof(char3) == 3 && alignof(char4) == 4 && alignof(short2) == 4 && alignof(short4) == 8);
static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && alignof(float2) == 8 && alignof(int4) == 16);
static_assert(alignof(double2) == 16 && sizeof(double4) == 32 && alignof(double4) == 16 && alignof(longlong2) == 16);
static_assert(sizeof(dim3) == 12 && dim3(7).y == 1 && int3{1, 2, 3}.z == 3 && uchar4{.x = 1, .w = 9}.w == 9);

// ---- hints and spaces ----

__constant__ int constant_word;
__global__ void spaces_kernel(const float* x, float* z, int* w) {
    __shared__ float s[32];
    s[threadIdx.x] = __ldg(&x[threadIdx.x]) + __ldcs(x) + __ldcg(x + 1);
    float2 pair = __ldg(reinterpret_cast<const float2*>(x));
    __stcs(&z[threadIdx.x], s[threadIdx.x] + pair.y);
    __stwt(reinterpret_cast<float2*>(z + 32), pair);
    int local[2] = {1, 2};
    w[0] = __isGlobal(x) + 2 * __isShared(s) + 4 * __isShared(x) + 8 * __isGlobal(s)
        + 16 * __isConstant(&constant_word);
    w[1] = __isLocal(local + (threadIdx.x & 1));
    float* back = static_cast<float*>(__cvta_shared_to_generic(__cvta_generic_to_shared(&s[7])));
    w[2] = back == &s[7];
}
extern "C" void spaces(const float* x, float* z, int* w, cudaStream_t stream) {
    spaces_kernel<<<1, 32, 0, stream>>>(x, z, w);
}

// ---- a block's threads in order ----

__global__ void barrier_kernel(int* z) {
    int t = threadIdx.x;
    z[t] = __syncthreads_count(t % 3 == 0);
    z[t + 96] = __syncthreads_and(t < 96) + 2 * __syncthreads_and(t < 95) + 4 * __syncthreads_or(t == 95)
        + 8 * __syncthreads_or(0);
    if (t >= 64) return;     // a barrier waits for those that are left
    __syncthreads();
    z[t] += 1000;
}
extern "C" void barriers(int* z, cudaStream_t stream) { barrier_kernel<<<1, 96, 0, stream>>>(z); }

__device__ volatile int flag = 0;
__device__ int message = 0;
__global__ void fence_kernel(int* z) {
    if (blockIdx.x == 1) {
        message = 42;
        __threadfence();
        flag = 1;
    } else {
        while (flag == 0) __nanosleep(100);
        __threadfence();
        *z = message + (clock64() >= 0);
    }
}
extern "C" void fences(int* z, cudaStream_t stream) { fence_kernel<<<2, 1, 0, stream>>>(z); }

#if !defined(__CUDACC__) || __CUDA_ARCH__ < 700 && defined(__CUDA_ARCH__)
#error "nvcc's macros are missing"
#endif
__host__ __device__ int where() {
#ifdef __CUDA_ARCH__
    return 1;
#else
    return 0;
#endif
}
__global__ void arch_kernel(int* z) {
    __builtin_assume(z != nullptr);
    z[0] = where();
    z[1] = warpSize;
    z[2] = INT_MAX;
    assert(z[1] == 32);
}
extern "C" void macros(int* z, cudaStream_t stream) { arch_kernel<<<1, 1, 0, stream>>>(z); }
