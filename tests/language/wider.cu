// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: printf formats
#include <cstdio>
__global__ void k(float* x, long long l) { printf("%d %u %f %s %c %p %lld %llu %5.2f %-4d %x %e %g %%\n", 1, 2u, x[0], "a", 'b', x, l, 3ull, 1.0, 4, 5, 1e3, 2.0); }

//// ok: printf with too many arguments
#include <cstdio>
__global__ void k() { printf("%d", 1, 2, 3); }

//// ok: printf with 33 arguments
#include <cstdio>
__global__ void k(int a) { printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a); }

//// ok: printf of a struct
#include <cstdio>
struct P { int a; };
__global__ void k(P p) { printf("%d\n", p); }

//// ok: printf of threadIdx
#include <cstdio>
__global__ void k() { printf("%d\n", threadIdx); }

//// ok: std printf
#include <cstdio>
__global__ void k() { std::printf("%d\n", threadIdx.x); int n = printf("a"); (void)n; }

//// refused: printf of std string
#include <cstdio>
#include <string>
__global__ void k(int i) { printf("%s\n", std::to_string(i).c_str()); }

//// refused: cout in a kernel
#include <iostream>
__global__ void k() { std::cout << threadIdx.x << std::endl; }

//// ok: assert with a message
#include <cassert>
__global__ void k(int* x) { assert(x[0] > 0 && "positive"); static_assert(sizeof(int) == 4, "four"); static_assert(sizeof(int) == 4); }

//// refused: static_assert that fails in a template
template <int N> __global__ void k(int* x) { static_assert(N % 32 == 0, "N must be a multiple of 32"); x[0] = N; }
void f(int* x) { k<33><<<1, 1>>>(x); }

//// ok: trap and brkpt
__global__ void k(int* x) { if (x[0]) __trap(); __brkpt(); __prof_trigger(1); }

//// refused: exceptions try in a kernel
__global__ void k(int* x) { try { x[0] = 1; } catch (...) { x[0] = 2; } }

//// ok: try on the host
#include <stdexcept>
void check(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); }
void f(int* x) { try { check(cudaMalloc(&x, 4)); } catch (const std::exception& e) { } }

//// refused: noexcept kernel
__global__ void k(int* x) noexcept { x[0] = 1; }

//// ok: device function pointer in constant memory
typedef float (*Op)(float, float);
__device__ float plus_(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
__constant__ Op ops[2] = {plus_, times};
__global__ void k(float* x, int i) { x[0] = ops[i](x[1], x[2]); }

//// ok: device function pointer from the host
typedef float (*Op)(float);
__device__ float twice(float a) { return 2 * a; }
__global__ void k(float* x, Op o) { x[0] = o(x[0]); }
void f(float* x) { k<<<1, 1>>>(x, twice); }

//// ok: device function pointer by symbol
typedef float (*Op)(float);
__device__ float twice(float a) { return 2 * a; }
__device__ Op d = twice;
__global__ void k(float* x, Op o) { x[0] = o(x[0]); }
void f(float* x) { Op h; cudaMemcpyFromSymbol(&h, d, sizeof h); k<<<1, 1>>>(x, h); }

//// ok: function pointer template argument
__device__ float twice(float a) { return 2 * a; }
template <float (*F)(float)> __global__ void k(float* x) { x[0] = F(x[0]); }
void f(float* x) { k<twice><<<1, 1>>>(x); }

//// ok: member function pointer
struct S { int a; __device__ int f() const { return a; } };
__global__ void k(int* x) { int (S::*p)() const = &S::f; S s{3}; x[0] = (s.*p)(); int S::*m = &S::a; x[1] = s.*m; }

//// ok: std invoke
#include <cuda/std/functional>
struct S { int a; __device__ int f(int b) const { return a + b; } };
__global__ void k(int* x) { S s{3}; x[0] = cuda::std::invoke(&S::f, s, 2); }

//// ok: CRTP
template <class D> struct Base { __device__ float run(float v) const { return static_cast<const D*>(this)->f(v); } };
struct Sq : Base<Sq> { __device__ float f(float v) const { return v * v; } };
__global__ void k(float* x) { x[0] = Sq{}.run(x[1]); }

//// ok: template template and specialisation
template <class T> struct Acc { using type = T; };
template <> struct Acc<float> { using type = double; };
template <template <class> class A, class T> __global__ void k(T* x) { typename A<T>::type s = 0; for (int i = 0; i < 3; ++i) s += x[i]; x[0] = s; }
void f(float* x) { k<Acc, float><<<1, 1>>>(x); k<Acc><<<1, 1>>>(x); }

//// refused: missing typename
template <class T> struct Acc { using type = T; };
template <class T> __global__ void k(T* x) { Acc<T>::type s = 0; x[0] = s; }

//// ok: kernel specialisation
template <class T> __global__ void k(T* x) { x[0] = 1; }
template <> __global__ void k<double>(double* x) { x[0] = 2; }
void f(double* x) { k<<<1, 1>>>(x); k<double><<<1, 1>>>(x); }

//// ok: kernel overloads
__global__ void k(float* x) { x[0] = 1; }
__global__ void k(double* x) { x[0] = 1; }
__global__ void k(float* x, int n) { x[0] = n; }
void f(float* x, double* y) { k<<<1, 1>>>(x); k<<<1, 1>>>(y); k<<<1, 1>>>(x, 3); }

//// refused: overload ambiguous
__global__ void k(float* x, int n) { x[0] = n; }
__global__ void k(float* x, float n) { x[0] = n; }
void f(float* x) { k<<<1, 1>>>(x, 3.0); }

//// ok: explicit instantiation
template <class T> __global__ void k(T* x) { x[0] = 1; }
template __global__ void k<float>(float*);
template __global__ void k(double*);

//// refused: template argument missing
template <int N> __global__ void k(float* x) { x[0] = N; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: template argument at run time
template <int N> __global__ void k(float* x) { x[0] = N; }
void f(float* x, int n) { k<n><<<1, 1>>>(x); }

//// refused: template argument a float
template <float F> __global__ void k(float* x) { x[0] = F; }
void f(float* x) { k<1.f><<<1, 1>>>(x); }

//// ok: template auto argument
template <auto N> __global__ void k(float* x) { x[0] = N; }
void f(float* x) { k<3><<<1, 1>>>(x); k<'a'><<<1, 1>>>(x); }

//// ok: template default argument and bool
template <class T = float, bool B = false, int N = 4> __global__ void k(T* x) { if constexpr (B) x[0] = N; else x[1] = N; }
void f(float* x) { k<<<1, 1>>>(x); k<float, true><<<1, 1>>>(x); }

//// refused: local class as kernel template argument
template <class F> __global__ void k(float* x, F f) { x[0] = f(x[0]); }
void g(float* x) { struct L { __device__ float operator()(float v) const { return v; } }; k<<<1, 1>>>(x, L{}); }

//// refused: private class as kernel template argument
template <class F> __global__ void k(float* x, F f) { x[0] = f(x[0]); }
class O { struct L { __device__ float operator()(float v) const { return v; } }; public: void g(float* x) { k<<<1, 1>>>(x, L{}); } };

//// ok: class template deduction
template <class T> struct View { T* p; int n; __host__ __device__ View(T* p, int n) : p(p), n(n) {} __device__ T& operator[](int i) { return p[i]; } };
template <class T> __global__ void k(View<T> v) { if (threadIdx.x < v.n) v[threadIdx.x] = 1; }
void f(float* x) { View v(x, 3); k<<<1, 32>>>(v); k<<<1, 32>>>(View(x, 3)); }

//// ok: two dimensional view with call operator
struct M { float* p; int ld; __host__ __device__ float& operator()(int r, int c) const { return p[r * ld + c]; } };
__global__ void k(M m) { m(threadIdx.y, threadIdx.x) += 1; }
void f(float* x) { k<<<1, dim3(8, 8)>>>(M{x, 8}); k<<<1, dim3(8, 8)>>>({x, 8}); }

//// refused: subscript with two indices
struct M { float* p; __device__ float& operator[](int r, int c) const { return p[r * 8 + c]; } };
__global__ void k(M m) { m[1, 2] = 1; }

//// ok: operator overloads for float3
__host__ __device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ inline float3& operator+=(float3& a, const float3& b) { return a = a + b; }
__host__ __device__ inline float3 operator*(float s, float3 a) { return {s * a.x, s * a.y, s * a.z}; }
__global__ void k(float3* x) { x[0] += 2 * x[1] + x[2]; }

//// refused: operator overload missing device
inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__global__ void k(float3* x) { x[0] = x[1] + x[2]; }

//// refused: explicit conversion operators
struct R { float v; __device__ explicit operator float() const { return v; } };
__global__ void k(float* x) { R r{1}; x[0] = r; }

//// ok: bool conversion
struct R { float v; __device__ explicit operator bool() const { return v > 0; } };
__global__ void k(float* x) { R r{1}; if (r && x[0] > 0) x[0] = 1; }

//// ok: union with constructor
union U { float f; int i; __device__ U(float v) : f(v) {} };
__global__ void k(int* x) { U u(1.f); x[0] = u.i; }

//// ok: anonymous union and struct
struct V { union { struct { float x, y; }; float a[2]; }; };
__global__ void k(V* v) { v->x = 1; v->a[1] = 2; }

//// ok: bit fields
struct B { unsigned a : 3, b : 29; };
__global__ void k(B* b) { b->a = 5; b->b += 1; }

//// ok: packed struct
struct __attribute__((packed)) P { char c; int i; };
__global__ void k(P* p) { p->i = 1; }

//// ok: pragma pack
#pragma pack(push, 1)
struct P { char c; int i; };
#pragma pack(pop)
__global__ void k(P* p) { p->i = 1; }

//// ok: align struct
struct __align__(16) P { float a, b, c; };
struct alignas(8) Q { float a; };
__global__ void k(P* p, Q* q) { p[0] = p[1]; q[0].a = sizeof(P) + sizeof(Q); }

//// ok: flexible array member
struct F { int n; float v[]; };
__global__ void k(F* f) { f->v[f->n - 1] = 1; }

//// ok: default arguments of device functions
__device__ int f(int a, int b = 2, int c = 3) { return a + b + c; }
__global__ void k(int* x) { x[0] = f(1) + f(1, 1); }

//// refused: default argument before
__device__ int f(int a = 1, int b) { return a + b; }
__global__ void k(int* x) { x[0] = f(1, 2); }

//// ok: unroll pragmas
template <int N> __global__ void k(int* x) {
#pragma unroll
    for (int i = 0; i < N; ++i) x[i] = i;
#pragma unroll 4
    for (int i = 0; i < 8; ++i) x[i] = i;
#pragma unroll (N)
    for (int i = 0; i < 8; ++i) x[i] = i;
#pragma unroll 1
    for (int i = 0; i < 8; ++i) x[i] = i;
#pragma nounroll
    for (int i = 0; i < 8; ++i) x[i] = i;
}
void f(int* x) { k<3><<<1, 1>>>(x); }

//// refused: unroll by a variable
__global__ void k(int* x, int n) {
#pragma unroll n
    for (int i = 0; i < n; ++i) x[i] = i;
}

//// ok: omp pragma
void f(int* x) {
#pragma omp parallel for
    for (int i = 0; i < 8; ++i) x[i] = i;
}

//// ok: nv_diag_suppress
#pragma nv_diag_suppress 177
__global__ void k(int* x) { int a; x[0] = 1; }

//// ok: GCC pragma in device code
#pragma GCC optimize("O0")
__global__ void k(int* x) { x[0] = 1; }

//// ok: inline ptx with lane mask
__device__ unsigned lt() { unsigned m; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m)); return m; }
__global__ void k(unsigned* x) { x[0] = lt(); unsigned l; asm volatile("mov.u32 %0, %laneid;" : "=r"(l)); x[1] = l; }

//// refused: inline ptx wrong operand count
__global__ void k(unsigned* x) { unsigned a; asm("add.u32 %0, %1;" : "=r"(a) : "r"(x[0])); x[0] = a; }

//// refused: inline ptx misspelt
__global__ void k(unsigned* x) { unsigned a; asm("addd.u32 %0, %1, %2;" : "=r"(a) : "r"(x[0]), "r"(x[1])); x[0] = a; }

//// refused: inline ptx missing semicolon
__global__ void k(unsigned* x) { unsigned a; asm("add.u32 %0, %1, %2" : "=r"(a) : "r"(x[0]), "r"(x[1])); x[0] = a; }

//// ok: inline ptx two without separator
__global__ void k(unsigned* x) { unsigned a; asm("add.u32 %0, %1, %2; mul.lo.u32 %0, %0, %0;\n\t" : "=r"(a) : "r"(x[0]), "r"(x[1])); x[0] = a; }

//// refused: inline ptx x86
__global__ void k(unsigned* x) { asm("movl $1, %eax"); x[0] = 1; }

//// ok: createpolicy and cp async
__global__ void k(const float4* x, float4* y) { __shared__ float4 s[32]; unsigned a = __cvta_generic_to_shared(s + threadIdx.x); asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(a), "l"(x + threadIdx.x)); asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;"); __syncthreads(); y[threadIdx.x] = s[threadIdx.x]; }

//// ok: ldmatrix
__global__ void k(unsigned* x) { __shared__ __align__(16) unsigned short s[256]; s[threadIdx.x] = 1; __syncwarp(); unsigned a = __cvta_generic_to_shared(s + 8 * (threadIdx.x % 8)), r; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(a)); x[0] = r; }

//// ok: mma m16n8k16
__global__ void k(float* x, const unsigned* a) { float d[4] = {}; asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5])); x[threadIdx.x] = d[0]; }

//// ok: recursion of a kernel's function with a template
template <int N> struct Fib { static constexpr int v = Fib<N - 1>::v + Fib<N - 2>::v; };
template <> struct Fib<0> { static constexpr int v = 0; };
template <> struct Fib<1> { static constexpr int v = 1; };
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void k(int* x) { x[0] = Fib<10>::v + fib(5); }

//// ok: mutual recursion
__device__ bool odd(int n);
__device__ bool even(int n) { return n == 0 || odd(n - 1); }
__device__ bool odd(int n) { return n != 0 && even(n - 1); }
__global__ void k(int* x) { x[0] = even(10); }

//// ok: device function without return
__device__ int f(int n) { if (n) return 1; }
__global__ void k(int* x) { x[0] = f(x[1]); }

//// ok: host device with CUDA_ARCH
__host__ __device__ float f(float a) {
#ifdef __CUDA_ARCH__
    return __expf(a);
#else
    return expf(a);
#endif
}
__global__ void k(float* x) { x[0] = f(x[0]); }
float g(float a) { return f(a); }

//// refused: different signatures by CUDA_ARCH
#ifdef __CUDA_ARCH__
__global__ void k(float* x, int n) { x[0] = n; }
#else
__global__ void k(float* x) { x[0] = 1; }
#endif
void f(float* x) { k<<<1, 1>>>(x); }

//// ok: math constants header
#include <math_constants.h>
__global__ void k(float* x) { x[0] = CUDART_PI_F + CUDART_INF_F + CUDART_NAN_F; }

//// refused: M_PI and INFINITY
#include <cmath>
__global__ void k(float* x) { x[0] = M_PI + INFINITY + NAN + FLT_MAX; }

//// ok: cfloat in a kernel
#include <cfloat>
__global__ void k(float* x) { x[0] = FLT_MAX + FLT_EPSILON; int i = INT_MAX; x[1] = i; }

//// ok: climits in a kernel
#include <climits>
#include <cstdint>
__global__ void k(int* x) { x[0] = INT_MAX; x[1] = UINT32_MAX; uint8_t c = CHAR_MAX; x[2] = c; size_t s = SIZE_MAX; x[3] = s; }

//// refused: uint without header
__global__ void k(uint* x) { uint i = threadIdx.x; ushort s = i; uchar c = s; x[i] = c; }

//// ok: uint and ushort without header
__global__ void k(uint* x) { uint i = threadIdx.x; ushort s = i; ulong l = s; x[i] = l; }

//// refused: uint32_t without header
__global__ void k(uint32_t* x) { x[0] = int64_t(3); }

//// refused: helper_cuda
#include "helper_cuda.h"
__global__ void k(float* x) { x[0] = 1; }

//// ok: device_launch_parameters
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include <cuda.h>
#include <device_functions.h>
__global__ void k(float* x) { x[threadIdx.x] = 1; }

//// ok: cuda runtime api
#include <cuda_runtime_api.h>
#include <vector_types.h>
#include <sm_60_atomic_functions.h>
__global__ void k(float* x) { x[threadIdx.x] = 1; }

//// refused: texture reference
texture<float, 1> t;
__global__ void k(float* x) { x[0] = tex1Dfetch(t, 0); }

//// refused: curand
#include <curand_kernel.h>
__global__ void k(float* x) { curandState s; curand_init(1, threadIdx.x, 0, &s); x[0] = curand_uniform(&s); }

//// refused: dynamic parallelism sync
__global__ void c() {}
__global__ void k() { c<<<1, 1>>>(); cudaDeviceSynchronize(); }

//// ok: int128
__global__ void k(__int128* x) { x[0] = x[1] * x[2]; unsigned __int128 u = x[0]; x[1] = u >> 64; }

//// ok: long double
__global__ void k(float* x) { long double d = x[0]; x[1] = d * 2; }

//// ok: complex of C
#include <cuComplex.h>
__global__ void k(cuFloatComplex* x) { x[0] = cuCmulf(x[1], x[2]); x[1] = make_cuFloatComplex(1, 2); }

//// refused: thread local
thread_local int t;
__global__ void k(int* x) { x[0] = t; }

//// ok: register keyword
__global__ void k(int* x) { register int a = x[0]; x[1] = a; }

//// ok: volatile shared and asm memory
__global__ void k(int* x) { __shared__ volatile int s[32]; s[threadIdx.x] = 1; asm volatile("" ::: "memory"); x[0] = s[31]; }
