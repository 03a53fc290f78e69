// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: a device function called by a kernel
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// refused: a host function called by a kernel
float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// refused: a host function called by a device function
float twice(float x) { return 2 * x; }
__device__ float more(float x) { return twice(x) + 1; }
__global__ void k(float* x) { x[0] = more(x[0]); }

//// refused: a static inline host function called by a kernel
static inline float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// refused: a host template called by a kernel
template <class T> T twice(T x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a device template called by a kernel
template <class T> __device__ T twice(T x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]) + twice<float>(1); }

//// ok: a constexpr function called by a kernel
constexpr float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a constexpr function that calls a host function
float once(float x) { return x; }
constexpr float twice(float x) { return x > 0 ? 2 * x : once(x); }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a constexpr ceil_div on both sides
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
__global__ void k(float* x, int n) { x[0] = ceil_div(n, 32); }
void f(float* x, int n) { k<<<ceil_div(n, 32), 32>>>(x, n); }

//// ok: __host__ __device__ called on both sides
__host__ __device__ float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }
float f() { return twice(1); }

//// refused: a device function called by the host
__device__ float twice(float x) { return 2 * x; }
float f() { return twice(1); }

//// refused: a device template called by the host
template <class T> __device__ T twice(T x) { return 2 * x; }
float f() { return twice(1.0f); }

//// ok: __host__ __device__ calls a host function, and is never called
float once(float x) { return x; }
__host__ __device__ float twice(float x) { return 2 * once(x); }

//// ok: __host__ __device__ calls a host function, and a kernel calls it
float once(float x) { return x; }
__host__ __device__ float twice(float x) { return 2 * once(x); }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: __host__ __device__ calls a host function, and the host calls it
float once(float x) { return x; }
__host__ __device__ float twice(float x) { return 2 * once(x); }
float f() { return twice(1); }

//// refused: __host__ __device__ calls a device function, and the host calls it
__device__ float once(float x) { return x; }
__host__ __device__ float twice(float x) { return 2 * once(x); }
float f() { return twice(1); }

//// refused: __host__ __device__ calls a device function, and a kernel calls it
__device__ float once(float x) { return x; }
__host__ __device__ float twice(float x) { return 2 * once(x); }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a __host__ __device__ template calls a host function, and a kernel calls it
float once(float x) { return x; }
template <class T> __host__ __device__ T twice(T x) { return 2 * once(x); }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a __host__ __device__ template calls a host function, and the host calls it
float once(float x) { return x; }
template <class T> __host__ __device__ T twice(T x) { return 2 * once(x); }
float f() { return twice(1.0f); }

//// ok: std::min and std::max in a kernel
#include <algorithm>
__global__ void k(float* x) { x[0] = std::min(x[0], x[1]) + std::max(x[2], 3.0f); }

//// refused: std::swap in a kernel
#include <utility>
__global__ void k(float* x) { float a = x[0], b = x[1]; std::swap(a, b); x[0] = a; x[1] = b; }

//// ok: std::numeric_limits in a kernel
#include <limits>
__global__ void k(float* x) { x[0] = -std::numeric_limits<float>::infinity() + std::numeric_limits<float>::max(); }

//// ok: std::clamp in a kernel
#include <algorithm>
__global__ void k(float* x) { x[0] = std::clamp(x[0], 0.0f, 1.0f); }

//// refused: std::accumulate in a kernel
#include <numeric>
__global__ void k(float* x) { x[0] = std::accumulate(x, x + 3, 0.0f); }

//// refused: std::sort in a kernel
#include <algorithm>
__global__ void k(float* x) { std::sort(x, x + 3); }

//// refused: std::fill in a kernel
#include <algorithm>
__global__ void k(float* x) { std::fill(x, x + 3, 1.0f); }

//// refused: std::string in a kernel
#include <string>
__global__ void k(float* x) { std::string s = "a"; x[0] = s.size(); }

//// refused: std::vector in a kernel
#include <vector>
__global__ void k(float* x) { std::vector<float> v(3); x[0] = v[0]; }

//// ok: std::vector in the host function
#include <vector>
void f() { std::vector<float> v(3); v.push_back(1); float s = 0; for (float x : v) s += x; }

//// ok: std::array in a kernel
#include <array>
__global__ void k(float* x) { std::array<float, 4> a{}; a[1] = x[0]; x[0] = a[1] + a.size(); }

//// refused: std::function in a kernel
#include <functional>
__global__ void k(float* x) { std::function<float(float)> f = [](float y) { return y; }; x[0] = f(1); }

//// refused: std::cout in a kernel
#include <iostream>
__global__ void k(float* x) { std::cout << x[0]; }

//// ok: std::cout in the host function
#include <iostream>
void f() { std::cout << 1 << std::endl; }

//// ok: std::pair in a kernel
#include <utility>
__global__ void k(float* x) { std::pair<int, float> p(1, 2.0f); x[0] = p.first + p.second; }

//// ok: std::tuple in a kernel
#include <tuple>
__global__ void k(float* x) { std::tuple<int, float> p(1, 2.0f); x[0] = std::get<1>(p); }

//// refused: std::complex in a kernel
#include <complex>
__global__ void k(float* x) { std::complex<float> a(1, 2), b(2, 3); auto c = a * b; x[0] = c.real(); }

//// ok: std::sqrt and std::exp in a kernel
#include <cmath>
__global__ void k(float* x, double* y) { x[0] = std::sqrt(x[0]) + std::exp(x[1]) + std::abs(x[2]) + std::pow(x[3], 2.0f) + std::fabs(x[3]); y[0] = std::sin(y[1]) + std::fmax(y[2], 1.0); }

//// ok: std::isnan and isinf in a kernel
#include <cmath>
__global__ void k(float* x) { x[0] = std::isnan(x[0]) + isinf(x[1]) + isnan(x[2]) + isfinite(x[3]); }

//// ok: std::move and std::forward in a kernel
#include <utility>
__global__ void k(float* x) { float a = x[0]; float b = std::move(a); x[0] = std::forward<float>(b); }

//// refused: rand in a kernel
#include <cstdlib>
__global__ void k(float* x) { x[0] = rand(); }

//// ok: rand in the host function
#include <cstdlib>
int f() { srand(1); return rand(); }

//// refused: time in a kernel
#include <ctime>
__global__ void k(long* x) { x[0] = time(nullptr); }

//// refused: exit in a kernel
#include <cstdlib>
__global__ void k(float* x) { exit(1); }

//// refused: abort in a kernel
#include <cstdlib>
__global__ void k(float* x) { abort(); }

//// refused: strlen in a kernel
#include <cstring>
__global__ void k(int* x, const char* s) { x[0] = strlen(s); }

//// ok: memcpy and memset in a kernel
#include <cstring>
__global__ void k(float* x) { memset(x, 0, 16); memcpy(x, x + 4, 16); }

//// refused: memmove in a kernel
#include <cstring>
__global__ void k(float* x) { memmove(x, x + 1, 16); }

//// ok: std::memcpy in a kernel
#include <cstring>
__global__ void k(float* x) { int i; std::memcpy(&i, x, 4); x[1] = i; }

//// ok: malloc and free in a kernel
__global__ void k(float* x) { float* p = (float*)malloc(4); p[0] = x[0]; free(p); }

//// ok: new and delete in a kernel
__global__ void k(float* x) { float* p = new float[4]; p[0] = x[0]; x[1] = p[0]; delete[] p; int* q = new int(3); delete q; }

//// ok: printf in a kernel
#include <cstdio>
__global__ void k(float* x) { printf("%f\n", x[0]); }

//// refused: printf without a header
__global__ void k(float* x) { printf("%f\n", x[0]); }

//// refused: printf without a header in the host function
void f() { printf("a\n"); }

//// refused: fprintf in a kernel
#include <cstdio>
__global__ void k(float* x) { fprintf(stderr, "%f\n", x[0]); }

//// refused: sprintf in a kernel
#include <cstdio>
__global__ void k(char* x) { sprintf(x, "a"); }

//// refused: puts in a kernel
#include <cstdio>
__global__ void k(float* x) { puts("a"); }

//// ok: assert in a kernel
#include <cassert>
__global__ void k(float* x) { assert(x[0] > 0); }

//// refused: assert without a header
__global__ void k(float* x) { assert(x[0] > 0); }

//// refused: cudaMemcpy in a kernel
__global__ void k(float* x) { cudaMemcpy(x, x + 1, 4, cudaMemcpyDeviceToDevice); }

//// ok: cudaMalloc in a kernel
__global__ void k(float* x) { float* p; cudaMalloc(&p, 4); }

//// refused: cudaDeviceSynchronize in a kernel
__global__ void k(float* x) { cudaDeviceSynchronize(); }

//// refused: cudaGetLastError in a kernel
__global__ void k(float* x) { cudaError_t e = cudaGetLastError(); x[0] = e; }

//// refused: __syncthreads in the host function
void f() { __syncthreads(); }

//// ok: __syncthreads without parentheses
__global__ void k(float* x) { x[0] = 1; __syncthreads; x[1] = 2; }

//// refused: __syncthreads with an argument
__global__ void k(float* x) { __syncthreads(1); }

//// refused: __syncthreads misspelt
__global__ void k(float* x) { __syncthread(); }

//// ok: __syncwarp with and without a mask
__global__ void k(float* x) { __syncwarp(); __syncwarp(0xffffffff); }

//// refused: __syncwarp with two arguments
__global__ void k(float* x) { __syncwarp(0xffffffff, 1); }

//// refused: __shfl_down without _sync
__global__ void k(float* x) { x[0] = __shfl_down(x[0], 1); }

//// refused: __shfl_down_sync without a mask
__global__ void k(float* x) { x[0] = __shfl_down_sync(x[0], 1); }

//// ok: shuffles
__global__ void k(float* x, int* y, double* z) { x[0] = __shfl_down_sync(0xffffffff, x[0], 1) + __shfl_xor_sync(~0u, x[1], 16, 32); y[0] = __shfl_sync(0xffffffffu, y[0], 0) + __shfl_up_sync(-1, y[1], 1u); z[0] = __shfl_sync(0xffffffff, z[0], 3); }

//// refused: five arguments of a shuffle
__global__ void k(float* x) { x[0] = __shfl_down_sync(0xffffffff, x[0], 1, 32, 0); }

//// refused: a shuffle of a pointer
__global__ void k(float* x) { x = __shfl_sync(0xffffffff, x, 0); }

//// refused: a shuffle of a float4
__global__ void k(float4* x) { x[0] = __shfl_sync(0xffffffff, x[0], 0); }

//// refused: a shuffle in the host function
void f(float* x) { x[0] = __shfl_sync(0xffffffff, x[0], 0); }

//// ok: votes
__global__ void k(int* x) { x[0] = __any_sync(~0u, x[0]) + __all_sync(~0u, x[0] > 1) + __ballot_sync(~0u, x[1]) + __popc(__activemask()); }

//// ok: atomicAdd
__global__ void k(float* x, int* n, unsigned* u, double* d) { atomicAdd(x, 1.0f); atomicAdd(&x[1], 1); atomicAdd(n, 1); atomicAdd(u, 1); atomicAdd(u, 1u); atomicAdd(d, 1.0); }

//// refused: atomicAdd of a value instead of an address
__global__ void k(float* x) { atomicAdd(x[0], 1.0f); }

//// refused: atomicAdd of a long
__global__ void k(long* x) { atomicAdd(x, 1L); }

//// refused: atomicAdd of a size_t
__global__ void k(size_t* x) { atomicAdd(x, (size_t)1); }

//// ok: atomicAdd of an unsigned long long
__global__ void k(unsigned long long* x) { atomicAdd(x, 1); atomicAdd(x, 1ull); }

//// refused: atomicAdd with one argument
__global__ void k(float* x) { atomicAdd(x); }

//// refused: atomicAdd with three arguments
__global__ void k(float* x) { atomicAdd(x, 1.0f, 2); }

//// refused: atomicMax of a float
__global__ void k(float* x) { atomicMax(x, 1.0f); }

//// ok: atomicMax of an int with a float value
__global__ void k(int* x) { atomicMax(x, 1.5f); }

//// refused: atomicSub of a float
__global__ void k(float* x) { atomicSub(x, 1.0f); }

//// ok: atomicExch and atomicCAS
__global__ void k(int* x, unsigned* u, float* y) { atomicExch(x, 1); atomicExch(y, 1.0f); atomicCAS(x, 0, 1); atomicCAS(u, 0u, 1u); atomicCAS(u, 0, 1); atomicInc(u, 3); atomicOr(x, 1); }

//// refused: atomicCAS of a float
__global__ void k(float* x) { atomicCAS(x, 0.0f, 1.0f); }

//// refused: atomicAdd in the host function
void f(int* x) { atomicAdd(x, 1); }

//// refused: atomicAdd to a const pointer
__global__ void k(const int* x) { atomicAdd(x, 1); }

//// ok: threadIdx in the host function
int f() { return threadIdx.x; }

//// ok: blockDim in the host function
void f(int n) { int b = (n + blockDim.x - 1) / blockDim.x; }

//// refused: threadIdx is written
__global__ void k(float* x) { threadIdx.x = 3; }

//// refused: threadIdx misspelt
__global__ void k(float* x) { x[threadId.x] = 1; }

//// refused: blockidx misspelt
__global__ void k(float* x) { x[blockidx.x] = 1; }

//// refused: threadIdx.w
__global__ void k(float* x) { x[threadIdx.w] = 1; }

//// refused: threadIdx as a number
__global__ void k(float* x) { int i = threadIdx; x[i] = 1; }

//// ok: threadIdx in a device function
__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void k(float* x) { x[index()] = gridDim.y; }

//// ok: threadIdx in a function of both sides
__host__ __device__ int index() { return threadIdx.x; }
__global__ void k(float* x) { x[index()] = 1; }

//// ok: warpSize in a kernel
__global__ void k(float* x) { x[threadIdx.x % warpSize] = threadIdx.x / warpSize; }

//// refused: warpSize as an array's size
__global__ void k(float* x) { float a[warpSize]; a[0] = x[0]; x[1] = a[0]; }

//// ok: warpSize in the host function
int f(int n) { return n / warpSize; }

//// refused: a device function declared and not defined
__device__ float twice(float x);
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a device function through a pointer
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float* x) { float (*f)(float) = twice; x[0] = f(x[0]); }

//// refused: the address of a host function in a kernel
float twice(float x) { return 2 * x; }
__global__ void k(float* x) { float (*f)(float) = twice; x[0] = f(x[0]); }

//// ok: recursion in device code
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void k(int* x) { x[0] = factorial(x[0]); }

//// ok: a lambda in a kernel
__global__ void k(float* x) { auto twice = [&](float y) { return 2 * y + x[1]; }; x[0] = twice(x[0]); }

//// refused: a lambda in a kernel that calls a host function
float once(float x) { return x; }
__global__ void k(float* x) { auto twice = [&](float y) { return 2 * once(y); }; x[0] = twice(x[0]); }

//// refused: a lambda in the host function that calls a device function
__device__ float once(float x) { return x; }
void f(float* x) { auto twice = [&](float y) { return 2 * once(y); }; x[0] = twice(x[0]); }

//// refused: a global constexpr lambda called in a kernel
constexpr auto twice = [](float x) { return 2 * x; };
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// refused: a function that is not defined anywhere, misspelt
__global__ void k(float* x) { x[0] = sqrrtf(x[0]); }

//// ok: __fmaf_rn and fast functions
__global__ void k(float* x) { x[0] = __fmaf_rn(x[0], x[1], x[2]) + __expf(x[3]) + __fdividef(x[0], x[1]) + __sinf(x[0]) + rsqrtf(x[1]) + fmaf(x[0], x[1], x[2]); }

//// refused: __expf in the host function
float f(float x) { return __expf(x); }

//// ok: rsqrtf in the host function
float f(float x) { return rsqrtf(x); }

//// ok: min and max on both sides
__global__ void k(float* x, int n) { x[0] = min(x[0], 1.0f) + max(n, 3) + fminf(x[0], x[1]) + min(n, 5u); }
int f(int n) { return min(n, 3) + max(n, 4); }

//// refused: __float_as_int in the host function
int f(float x) { return __float_as_int(x); }

//// ok: make_float4 on both sides
__global__ void k(float4* x) { x[0] = make_float4(1, 2, 3, 4); }
float4 f() { return make_float4(1, 2, 3, 4); }

//// refused: float4 plus float4
__global__ void k(float4* x) { x[0] = x[1] + x[2]; }

//// ok: a float4 operator of one's own
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__global__ void k(float4* x) { x[0] = x[1] + x[2]; }

//// ok: __ldg
__global__ void k(const float* __restrict__ x, float* y) { y[0] = __ldg(x) + __ldg(&x[1]); }

//// ok: clock64 in a kernel and clock in both
#include <ctime>
__global__ void k(long long* x) { x[0] = clock64() + clock(); }
long f() { return clock(); }

//// ok: a __host__ __device__ template calls a device function, and a kernel calls it
__device__ float once(float x) { return x; }
template <class T> __host__ __device__ T twice(T x) { return 2 * once(x); }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a __host__ __device__ template calls a device function, and the host calls it
__device__ float once(float x) { return x; }
template <class T> __host__ __device__ T twice(T x) { return 2 * once(x); }
float f() { return twice(1.0f); }

//// refused: a __host__ __device__ template calls a device function, and is never called
__device__ float once(float x) { return x; }
template <class T> __host__ __device__ T twice(T x) { return 2 * once(3.0f); }

//// refused: __host__ __device__ calls __syncthreads
__host__ __device__ void wait() { __syncthreads(); }
__global__ void k() { wait(); }

//// ok: __host__ __device__ with a part for each side
__host__ __device__ float fast(float x) {
#ifdef __CUDA_ARCH__
    return __expf(x);
#else
    return expf(x);
#endif
}
__global__ void k(float* x) { x[0] = fast(x[0]); }
float f() { return fast(1); }

//// refused: a constexpr function calls a device function
__device__ float once(float x) { return x; }
constexpr float twice(float x) { return 2 * once(x); }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: __host__ __device__ calls std::sort
#include <algorithm>
__host__ __device__ void sorted(float* x) { std::sort(x, x + 3); }
__global__ void k(float* x) { sorted(x); }

//// ok: a lambda in the host function calls a host function
float once(float x) { return x; }
float f() { auto g = [](float x) { return once(x); }; return g(1); }

//// refused: a device function under an #if for old devices
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* x, double v) { return v; }
#endif
__global__ void k(double* x) { atomicAdd(x, 1.0); }

//// ok: host code under #ifndef __CUDA_ARCH__
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) {
#ifndef __CUDA_ARCH__
    k<<<1, 1>>>(x);
#endif
}

//// refused: a wrong name under #ifndef __CUDA_ARCH__
void f(float* x) {
#ifndef __CUDA_ARCH__
    nothing_like_this();
#endif
}

//// refused: a wrong name under #ifdef __CUDA_ARCH__
__device__ void f(float* x) {
#ifdef __CUDA_ARCH__
    nothing_like_this();
#endif
}

//// ok: a wrong name under #if 0
#if 0
__device__ void f(float* x) { nothing_like_this(); }
#endif

//// ok: the type of a host function's result in a kernel
float once(float x) { return x; }
__global__ void k(float* x) { decltype(once(x[0])) y = x[0]; x[1] = y; }

//// ok: the size of a host function's result in a kernel
float once(float x) { return x; }
__global__ void k(float* x) { static_assert(sizeof(once(1)) == 4); alignas(sizeof(once(1))) float y = x[0]; x[1] = y; }

//// ok: noexcept of a host function in a kernel
float once(float x) { return x; }
__global__ void k(float* x) { if (!noexcept(once(x[0]))) x[1] = 1; }

//// ok: the size of a method's result in a kernel
#include <string>
struct P { float a; float get() { return a; } };
__global__ void k(float* x) { P p; x[0] = sizeof(p.get()) + sizeof(std::string().size()); }

//// ok: std::declval in a kernel
#include <utility>
__global__ void k(float* x) { using F = decltype(std::declval<float&>() + std::declval<float>()); F y = x[0]; x[1] = y; }

//// ok: std::declval for what a device function returns
#include <utility>
template <class A, class B> __device__ auto sum(A a, B b) -> decltype(std::declval<A>() + std::declval<B>()) { return a + b; }
__global__ void k(float* x) { x[0] = sum(x[0], 1); }

//// ok: std::declval on the host, and of a class
#include <utility>
struct P { float get() const { return 1; } };
template <class T> using Got = decltype(std::declval<const T&>().get());
Got<P> f() { return 2; }
decltype(std::declval<P>().get()) g() { return 3; }

//// ok: the type and the size of a device function's result on the host
__device__ float once(float x) { return x; }
float f() { decltype(once(1.0f)) y = 1; return y + sizeof(once(1.0f)); }

//// refused: the type of a host function's result, and its result
float once(float x) { return x; }
__global__ void k(float* x) { decltype(once(x[0])) y = once(x[0]); x[1] = y; }

//// refused: a host function that gets a size
float once(float x) { return x; }
__global__ void k(float* x) { x[0] = once(sizeof(float)); }

//// refused: an approximate function in a function of both
__host__ __device__ float g(float x) { return __expf(1.0f) + x; }
__global__ void k(float* x) { x[0] = g(x[0]); }

//// refused: an approximate function in a template of both
template <class T> __host__ __device__ T f(T x) { return __expf(x); }
template <class T> __host__ __device__ T g(T x) { return __expf(1.0f) + x; }
__global__ void k(float* x) { x[0] = f(x[1]) + g(x[0]); }

//// ok: an approximate function of a template's type in a template of both
template <class T> __host__ __device__ T f(T x) { return __expf(x); }
__global__ void k(float* x) { x[0] = f(x[1]); }

//// ok: an approximate function for the device alone in a function of both
__host__ __device__ float f(float x) {
#ifdef __CUDA_ARCH__
    return __expf(x);
#else
    return expf(x);
#endif
}
__global__ void k(float* x) { x[0] = f(x[1]) + norm3df(x[1], x[2], x[3]) + rhypotf(x[0], x[1]) + fdividef(x[1], x[2]); }

//// refused: lengths in host code
float f(float a) { return norm3df(a, a, a); }

//// refused: sine and cosine at once in a function of both
__host__ __device__ void f(float a, float* s) { __sincosf(a, s, s + 1); }
