// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// refused: shared constexpr
__global__ void k(int* x) { __shared__ constexpr int s = 3; x[0] = s; }

//// ok: extern shared of two dimensions
__global__ void k(float* x) { extern __shared__ float s[][33]; s[threadIdx.y][threadIdx.x] = x[0]; __syncthreads(); x[1] = s[threadIdx.x][threadIdx.y]; }

//// ok: extern shared carved in two types
__global__ void k(float* x, int n) { extern __shared__ unsigned char raw[]; float* a = reinterpret_cast<float*>(raw); int* b = reinterpret_cast<int*>(a + n); a[0] = x[0]; b[0] = 1; __syncthreads(); x[1] = a[0] + b[0]; }

//// refused: extern shared carved without a cast
__global__ void k(float* x, int n) { extern __shared__ float s[]; int* b = s + n; b[0] = 1; x[1] = s[0]; }

//// ok: extern shared of float and int in one kernel
__global__ void k(float* x) { extern __shared__ float a[]; extern __shared__ int b[]; a[0] = x[0]; x[1] = b[0]; }

//// ok: extern shared __align__ in front
extern __shared__ __align__(16) unsigned char raw[];
__global__ void k(float* x) { float4* v = reinterpret_cast<float4*>(raw); v[0] = make_float4(1, 2, 3, 4); x[0] = v[0].x; }

//// refused: extern shared with a value
__global__ void k(float* x) { extern __shared__ float a[] = {1}; x[0] = a[0]; }

//// ok: extern shared of a struct
struct P { float x; int y; };
__global__ void k(float* x) { extern __shared__ P p[]; p[threadIdx.x].x = x[0]; __syncthreads(); x[1] = p[0].x; }

//// ok: extern shared in a device function
__device__ float* buffer() { extern __shared__ float s[]; return s; }
__global__ void k(float* x) { float* s = buffer(); s[0] = x[0]; x[1] = s[0]; }

//// ok: extern shared in two namespaces
namespace a { __global__ void k(float* x) { extern __shared__ float s[]; x[0] = s[0]; } }
namespace b { __global__ void k(int* x) { extern __shared__ int s[]; x[0] = s[0]; } }

//// refused: extern shared at file scope and in a kernel of another type
extern __shared__ float s[];
__global__ void k(float* x) { x[0] = s[0]; }
__global__ void l(int* x) { extern __shared__ int s[]; x[0] = s[0]; }

//// ok: extern shared typed by a struct template
template <class T> struct Shared { __device__ operator T*() { extern __shared__ int raw[]; return (T*)raw; } };
template <class T> __global__ void k(T* x) { Shared<T> s; T* p = s; p[0] = x[0]; x[1] = p[0]; }
void f(float* a, double* b) { k<<<1, 1, 64>>>(a); k<<<1, 1, 64>>>(b); }

//// refused: extern shared of a size by sizeof
__global__ void k(float* x) { extern __shared__ float s[]; x[0] = sizeof(s); }

//// ok: restrict missing on the declaration
__global__ void k(float* x);
__global__ void k(float* __restrict__ x) { x[0] = 1; }

//// ok: grid_constant of a struct
struct P { int n; float a[4]; };
__global__ void k(const __grid_constant__ P p, float* x) { x[0] = p.a[p.n]; const P* q = &p; x[1] = q->n; }

//// ok: grid_constant behind const
__global__ void k(__grid_constant__ const int n, float* x) { x[0] = n; }

//// refused: grid_constant of a pointer to const
__global__ void k(const float* __grid_constant__ x, float* y) { y[0] = x[0]; }

//// ok: grid_constant of a template type
template <class T> __global__ void k(const __grid_constant__ T p, float* x) { x[0] = p.n; }
struct P { int n; };
void f(float* x) { k<<<1, 1>>>(P{1}, x); }

//// refused: grid_constant written
struct P { int n; };
__global__ void k(const __grid_constant__ P p, float* x) { p.n = 3; x[0] = p.n; }

//// ok: grid_constant on a local
__global__ void k(float* x) { const __grid_constant__ int n = 3; x[0] = n; }

//// ok: launch bounds in front of void
__launch_bounds__(128, 2) __global__ void k(float* x) { x[0] = 1; }

//// ok: launch bounds before __global__ static
static __launch_bounds__(64) __global__ void k(float* x) { x[0] = 1; }

//// ok: launch bounds of a constexpr function
constexpr int threads(int n) { return n * 32; }
__global__ void __launch_bounds__(threads(4)) k(float* x) { x[0] = 1; }

//// refused: launch bounds of a variable
int threads = 128;
__global__ void __launch_bounds__(threads) k(float* x) { x[0] = 1; }

//// refused: launch bounds of a string
__global__ void __launch_bounds__("128") k(float* x) { x[0] = 1; }

//// refused: launch bounds of an undeclared name
__global__ void __launch_bounds__(THREADS) k(float* x) { x[0] = 1; }

//// refused: launch bounds with braces
__global__ void __launch_bounds__{128} k(float* x) { x[0] = 1; }

//// refused: launch bounds misspelt
__global__ void __launch_bound__(128) k(float* x) { x[0] = 1; }

//// ok: launch bounds of an enum class
enum class E { n = 128 };
__global__ void __launch_bounds__((int)E::n) k(float* x) { x[0] = 1; }

//// ok: launch bounds on a variable
__launch_bounds__(128) int n;

//// ok: static forceinline
static __device__ __forceinline__ float f(float x) { return x * 2; }
__global__ void k(float* x) { x[0] = f(x[1]); }

//// ok: noinline on a variable
__noinline__ int n = 3;

//// ok: inline hint
__device__ __inline_hint__ float f(float x) { return x * 2; }
__global__ void k(float* x) { x[0] = f(x[1]); }

//// ok: static local counted
__device__ int next() { static int n = 0; return n++; }
__global__ void k(int* x) { x[0] = next(); }

//// refused: static local of a parameter
__device__ int next(int a) { static int n = a; return n++; }
__global__ void k(int* x) { x[0] = next(x[1]); }

//// ok: static local of a constexpr call
constexpr int three() { return 3; }
__global__ void k(int* x) { static int n = three(); x[0] = n++; }

//// refused: static const half in a kernel
#include <cuda_fp16.h>
__global__ void k(half* x) { static const half one = 1; x[0] = one; }

//// refused: static const half of float in a kernel
#include <cuda_fp16.h>
__global__ void k(half* x) { static const half one = __float2half(1.0f); x[0] = one; }

//// ok: static half without a value in a kernel
#include <cuda_fp16.h>
__global__ void k(half* x) { static half one; x[0] = one; }

//// ok: static half in braces in a kernel
#include <cuda_fp16.h>
__global__ void k(half* x) { static half one{}; x[0] = one; }

//// refused: static const half2 in a kernel
#include <cuda_fp16.h>
__global__ void k(half2* x) { static const half2 one = __float2half2_rn(1.0f); x[0] = one; }

//// refused: static struct with a constructor in a kernel
struct S { int a; __device__ S(int v) : a(v) {} };
__global__ void k(int* x) { static S s(3); x[0] = s.a; }

//// ok: static struct with a constexpr constructor in a kernel
struct S { int a; constexpr S(int v) : a(v) {} };
__global__ void k(int* x) { static S s(3); x[0] = s.a; }

//// refused: static float4 by make in a kernel
__global__ void k(float* x) { static float4 v = make_float4(1, 2, 3, 4); x[0] = v.x; }

//// ok: static float4 in braces in a kernel
__global__ void k(float* x) { static const float4 v = {1, 2, 3, 4}; x[0] = v.x; }

//// refused: static float of sqrtf in a kernel
__global__ void k(float* x) { static const float v = sqrtf(2.0f); x[0] = v; }

//// refused: static float of a device constant in a kernel
__constant__ float c = 2;
__global__ void k(float* x) { static const float v = c; x[0] = v; }

//// ok: static pointer to a device variable in a kernel
__device__ float d[4];
__global__ void k(float* x) { static float* p = d; x[0] = p[0]; }

//// refused: static pointer to a shared array in a kernel
__global__ void k(float* x) { __shared__ float s[4]; static float* p = s; x[0] = p[0]; }

//// ok: static dim3 in a kernel
__global__ void k(int* x) { static dim3 d(1, 2); x[0] = d.x; }

//// refused: static const of threadIdx
__global__ void k(int* x) { static const int i = threadIdx.x; x[0] = i; }

//// ok: static lambda in a kernel
__global__ void k(int* x) { static auto f = [](int a) { return a + 1; }; x[0] = f(x[1]); }

//// ok: static constexpr lambda in a kernel
__global__ void k(int* x) { static constexpr auto f = [](int a) { return a + 1; }; x[0] = f(x[1]); }

//// ok: static std::array in a kernel
#include <array>
__global__ void k(int* x) { static const std::array<int, 3> a = {1, 2, 3}; x[0] = a[threadIdx.x]; }

//// ok: static array of strings in a kernel
__global__ void k(char* x) { static const char* names[] = {"one", "two"}; x[0] = names[threadIdx.x & 1][0]; }

//// ok: static in a host device function
__host__ __device__ int next() { static int n = 3; return n; }
__global__ void k(int* x) { x[0] = next(); }

//// ok: a device std::array
#include <array>
__device__ std::array<int, 3> v = {1, 2, 3};
__global__ void k(int* x) { x[0] = v[0]; }

//// ok: a function pointer as template argument
__device__ float twice(float x) { return 2 * x; }
template <float (*F)(float)> __global__ void k(float* x) { x[0] = F(x[1]); }
void f(float* x) { k<twice><<<1, 1>>>(x); }

//// refused: a host function pointer as template argument
float twice(float x) { return 2 * x; }
template <float (*F)(float)> __global__ void k(float* x) { x[0] = F(x[1]); }
void f(float* x) { k<twice><<<1, 1>>>(x); }

//// refused: a device variable's address as template argument
__device__ int d;
template <int* P> __global__ void k(int* x) { x[0] = *P; }
void f(int* x) { k<&d><<<1, 1>>>(x); }

//// refused: a device variable as reference template argument
__device__ int d;
template <int& P> __global__ void k(int* x) { x[0] = P; }
void f(int* x) { k<d><<<1, 1>>>(x); }

//// refused: a constant's address as template argument
__constant__ int d[4] = {1, 2, 3, 4};
template <const int* P> __global__ void k(int* x) { x[0] = P[1]; }
void f(int* x) { k<d><<<1, 1>>>(x); }

//// ok: a device variable's address as template argument of a device function
__device__ int d;
template <int* P> __device__ int get() { return *P; }
__global__ void k(int* x) { x[0] = get<&d>(); }

//// ok: a null pointer as template argument
template <int* P> __global__ void k(int* x) { x[0] = P == nullptr; }
void f(int* x) { k<nullptr><<<1, 1>>>(x); }

//// ok: a device variable's address as template argument of a class
__device__ int d;
template <int* P> struct S { __device__ int get() { return *P; } };
__global__ void k(int* x) { x[0] = S<&d>().get(); }

//// refused: a static device variable's address as template argument
static __device__ int d;
template <int* P> __global__ void k(int* x) { x[0] = *P; }
void f(int* x) { k<&d><<<1, 1>>>(x); }

//// refused: a managed variable's address as template argument
__managed__ int d;
template <int* P> __global__ void k(int* x) { x[0] = *P; }
void f(int* x) { k<&d><<<1, 1>>>(x); }

//// ok: a member pointer as kernel parameter
struct S { int a, b; };
__global__ void k(S* s, int S::*m, int* x) { x[0] = s->*m; }
void f(S* s, int* x) { k<<<1, 1>>>(s, &S::b, x); }

//// ok: a member pointer as kernel parameter by a template
struct S { int a, b; };
template <class M> __global__ void k(S* s, M m, int* x) { x[0] = s->*m; }
void f(S* s, int* x) { k<<<1, 1>>>(s, &S::b, x); }

//// refused: a member pointer as template argument
struct S { int a, b; };
template <int S::*M> __global__ void k(S* s, int* x) { x[0] = s->*M; }
void f(S* s, int* x) { k<&S::b><<<1, 1>>>(s, x); }

//// ok: a member pointer in a kernel
struct S { int a, b; };
__global__ void k(S* s, int* x) { int S::*m = threadIdx.x ? &S::a : &S::b; x[0] = s->*m; }

//// refused: a method pointer as kernel parameter
struct S { int a; __device__ int get() const { return a; } };
__global__ void k(S* s, int (S::*m)() const, int* x) { x[0] = (s->*m)(); }

//// ok: a method pointer in a kernel
struct S { int a; __device__ int get() const { return a; } };
__global__ void k(S* s, int* x) { int (S::*m)() const = &S::get; x[0] = (s->*m)(); }

//// ok: a member pointer in a struct parameter
struct S { int a, b; };
struct A { int S::*m; };
__global__ void k(S* s, A a, int* x) { x[0] = s->*a.m; }

//// ok: a member pointer as kernel parameter, never launched
struct S { int a, b; };
__global__ void k(S* s, int S::*m) { s->*m = 1; }

//// ok: static of std::max and of a call
#include <algorithm>
__device__ int own() { return 3; }
__global__ void k(int* x) { static int a = std::max(1, 2); x[0] = a; }

//// refused: static of a device function's call
__device__ int own() { return 3; }
__global__ void k(int* x) { static int a = own(); x[0] = a; }

//// refused: static of another's element
__constant__ int c[4];
__global__ void k(int* x) { static int a = c[1]; static int* p = c + 1; x[0] = a + *p; }

//// ok: static of a sizeof of a call
__device__ int own() { return 3; }
__global__ void k(int* x) { static int a = sizeof(own()) + sizeof x[0]; x[0] = a; }

//// ok: static of a reference and a table of functions
__device__ int d;
__device__ int one() { return 1; }
__global__ void k(int* x) { static int& r = d; static int (*fs[])() = {one}; x[0] = r + fs[0](); }

//// ok: static struct of constants and a pair
#include <utility>
struct P { int a = 3; float b[2] = {1, 2}; };
__global__ void k(int* x) { static P p; static P q{1}; static std::pair<int, int> r(1, 2); static auto s = std::make_pair(1, 2); x[0] = p.a + q.a + r.first + s.second; }

//// refused: static half2 and bfloat16
#include <cuda_bf16.h>
__global__ void k(float* x) { static __nv_bfloat16 b = 1.0f; x[0] = b; }

//// ok: static of a const local
__global__ void k(int* x) { const int n = 3; static int a = n * 2; x[0] = a; }

//// refused: static of a const local that is known at run time
__global__ void k(int* x) { const int n = x[1]; static int a = n * 2; x[0] = a; }

//// ok: static of a template's number and type
template <class T, int N> __global__ void k(T* x) { static T a = T(N); static const T b[] = {T(1), N}; x[0] = a + b[1]; }
void f(float* x) { k<float, 3><<<1, 1>>>(x); }

//// refused: static of warpSize
__global__ void k(int* x) { static int a = warpSize; x[0] = a; }

//// refused: kernel argument by the address of a device array's element
__device__ int d[4];
template <int* P> __global__ void k(int* x) { x[0] = *P; }
void f(int* x) { k<d><<<1, 1>>>(x); }

//// ok: kernel argument of a device constexpr number
__device__ constexpr int n = 3;
template <int N> __global__ void k(int* x) { x[0] = N; }
void f(int* x) { k<n><<<1, 1>>>(x); k<n + 1><<<1, 1>>>(x); }

//// ok: kernel argument of a function and a number
__device__ float twice(float x) { return 2 * x; }
template <float (*F)(float), int N> __global__ void k(float* x) { x[0] = F(x[N]); }
void f(float* x) { k<twice, 1><<<1, 1>>>(x); }

//// refused: kernel argument of a method's pointer
struct S { int v; __device__ int get() const { return v; } };
template <int (S::*M)() const> __global__ void k(S* s, int* x) { x[0] = (s->*M)(); }
void f(S* s, int* x) { k<&S::get><<<1, 1>>>(s, x); }

//// refused: extern shared in a class's method and a kernel
struct S { __device__ static int* get() { extern __shared__ int s[]; return s; } };
__global__ void k(float* x) { extern __shared__ float s[]; x[0] = s[0]; }

//// ok: extern shared in an anonymous namespace and outside
namespace { __global__ void k(float* x) { extern __shared__ float s[]; x[0] = s[0]; } }
__global__ void l(int* x) { extern __shared__ int s[]; x[0] = s[0]; }
