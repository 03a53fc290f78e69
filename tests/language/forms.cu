// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: forceinline on a local
__global__ void k(int* x) { __forceinline__ int a = 1; x[0] = a; }

//// ok: shared in a typedef that is used
typedef __shared__ int S; __global__ void k(int* x) { S s[3]; s[0] = 1; x[0] = s[0]; }

//// ok: a global lambda
__global__ void k(int* x) { x[0] = 1; }
void f(int* x) { auto l = [] __global__ (int* x) { x[0] = 1; }; }

//// refused: grid constant pointer
__global__ void k(int* __grid_constant__ const x) { x[0] = 1; }

//// refused: launch bounds on a lambda 2
__global__ void k(int* x) { auto l = [](int a) __launch_bounds__(32) { return a; }; x[0] = l(1); }

//// refused: launch bounds on a host lambda
void f() { auto l = [](int a) __launch_bounds__(32) { return a; }; l(3); }

//// refused: a constant array's address plus one in a static of a kernel
__constant__ int c[4];
__global__ void k(int* x) { static const int* p = c + 1; x[0] = *p; }

//// refused: a constant array's address in a static of a kernel
__constant__ int c[4];
__global__ void k(int* x) { static const int* p = c; x[0] = *p; }

//// refused: using enum
enum class Op { add, mul };
__global__ void k(int* x) { using enum Op; x[0] = add == Op::add; }

//// refused: designated initialisers out of order
struct P { int a; float b; };
__global__ void k(int* x) { P p{.b = 2.f, .a = 1}; x[0] = p.a; }

//// ok: placement new in shared memory
#include <new>
struct A { int v; __device__ A(int i) : v(i) {} };
__global__ void k(int* x) { __shared__ alignas(A) unsigned char raw[sizeof(A)]; A* a = new (raw) A(3); x[0] = a->v; }

//// refused: cudaLaunchKernelEx with a wrong argument
__global__ void k(int* x) { x[0] = 1; }
void f(float* x) { cudaLaunchConfig_t c = {}; cudaLaunchKernelEx(&c, k, x); }

//// ok: programmatic dependent launch
__global__ void k(int* x) { cudaGridDependencySynchronize(); x[0] = 1; cudaTriggerProgrammaticLaunchCompletion(); }
void f(int* x) { cudaLaunchConfig_t c = {}; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; a[0].val.programmaticStreamSerializationAllowed = 1; c.attrs = a; c.numAttrs = 1; c.gridDim = dim3(1); c.blockDim = dim3(1); cudaLaunchKernelEx(&c, k, x); }

//// refused: any template with bool
template <typename T> __device__ bool any(T a) { return a != 0; }
__global__ void k(int* x) { x[0] = any(x[1] > 0); }

//// ok: any template of an array
template <typename T> __device__ bool any(const T* a, int n) { for (int i = 0; i < n; ++i) if (a[i]) return true; return false; }
__global__ void k(int* x) { x[0] = any(x, 3); }

//// refused: grid constant restrict
__global__ void k(int* __restrict__ __grid_constant__ const x) { x[0] = 1; }

//// ok: grid constant restrict const
__global__ void k(int* __restrict__ const __grid_constant__ x) { x[0] = 1; }

//// refused: maxnreg on a lambda
__global__ void k(int* x) { auto l = [](int a) __maxnreg__(32) { return a; }; x[0] = l(1); }

//// ok: launch bounds on a lambda in front
__global__ void k(int* x) { auto l = [] __launch_bounds__(32) (int a) { return a; }; x[0] = l(1); }

//// ok: noinline on a lambda
__global__ void k(int* x) { auto l = [](int a) __noinline__ { return a; }; x[0] = l(1); }

//// ok: inline in a host function's local
void f(int* x) { inline int a = 3; x[0] = a; }

//// ok: static inline local
__global__ void k(int* x) { static inline int a = 3; x[0] = a; }

//// ok: const inline local
__global__ void k(int* x) { const inline int a = 3; x[0] = a; }

//// ok: inline shared
__global__ void k(int* x) { inline __shared__ int a[3]; a[0] = 3; x[0] = a[0]; }

//// refused: inline parameter
__global__ void k(inline int* x) { x[0] = 3; }

//// refused: inline member
struct S { inline int a; }; __global__ void k(int* x) { S s{3}; x[0] = s.a; }

//// refused: forceinline device variable
__device__ __forceinline__ int a = 3; __global__ void k(int* x) { x[0] = 3; }

//// ok: forceinline in a lambda
__global__ void k(int* x) { auto l = [] { __forceinline__ int a = 1; return a; }; x[0] = l(); }

//// ok: inline local in a for
__global__ void k(int* x) { for (inline int i = 0; i < 3; ++i) x[i] = i; }

//// ok: typedef shared array
typedef __shared__ float S[32]; __global__ void k(float* x) { S s; s[0] = 1; x[0] = s[0]; }

//// ok: shared alias with the word behind
using S = float __shared__; __global__ void k(float* x) { S s = 1; x[0] = s; }

//// ok: constant alias
typedef __constant__ float S; __global__ void k(float* x) { x[0] = 1; }

//// ok: global lambda in a kernel called
__global__ void k(int* x) { auto l = [] __global__ (int a) { }; l(1); x[0] = 1; }

//// ok: alignas of a type on a shared array
struct A { double v[2]; };
__global__ void k(float* x) { __shared__ alignas(A) float t[32]; alignas(double) __shared__ float u[4]; t[0] = u[0] = 1; x[0] = t[0]; }

//// ok: alignas of an expression on a shared array
template <int N> __global__ void k(float* x) { __shared__ alignas(N) float t[32]; alignas(sizeof(float4)) __shared__ float u[4]; __shared__ alignas(alignof(float4)) float w[4]; w[0] = t[0] = u[0] = 1; x[0] = t[0]; }
void f(float* x) { k<32><<<1, 1>>>(x); }

//// refused: default comparison
struct S { int a; bool operator==(const S&) const = default; };
__global__ void k(int* x) { x[0] = S{1} == S{2}; }

//// refused: using enum in a class
enum class E { a, b };
struct S { using enum E; };
__global__ void k(int* x) { x[0] = S::a == S::b; }

//// refused: new with a deduced size
__global__ void k(int* x) { int* p = new int[]{1, 2}; x[0] = p[1]; }

//// refused: designator twice
struct P { int a, b; };
__global__ void k(int* x) { P p{.a = 1, .a = 2}; x[0] = p.b; }

//// refused: launch bounds before global in the wrong place
__global__ void k(int* x) __launch_bounds__(256) { x[0] = 1; }

//// ok: std::array by its guide
#include <array>
__global__ void k(int* x) { std::array a{1, 2, 3}; x[0] = a[1]; }

//// ok: cuda::std::array by its guide
#include <cuda/std/array>
__global__ void k(int* x) { cuda::std::array a{1, 2, 3}; x[0] = a[1]; }

//// ok: cuda::std::optional by its guide
#include <cuda/std/optional>
__global__ void k(int* x) { cuda::std::optional o = 3; x[0] = *o; }

//// ok: cuda::std::span by its guide
#include <cuda/std/span>
__global__ void k(int* x, int n) { cuda::std::span s(x, n); x[0] = s[1]; int a[3] = {1, 2, 3}; cuda::std::span t(a); x[1] = t.size(); }

//// ok: mdspan of two dimensions
#include <cuda/std/mdspan>
__global__ void k(float* x, int n, int m) { cuda::std::mdspan a(x, n, m); a(1, 2) = a(0, 1) + a.extent(0) + a.size(); }

//// ok: mdspan as a parameter
#include <cuda/std/mdspan>
using M = cuda::std::mdspan<float, cuda::std::dextents<int, 2>>;
__global__ void k(M a, M b) { int i = blockIdx.y * blockDim.y + threadIdx.y, j = threadIdx.x; if (i < a.extent(0) && j < a.extent(1)) b(i, j) = a(i, j); }
void f(float* x, float* y, int n) { k<<<1, 32>>>(M(x, n, n), M{y, n, n}); }

//// ok: mdspan of static extents and layouts
#include <cuda/std/mdspan>
namespace cs = cuda::std;
__global__ void k(float* x, const float* y, int n) { cs::mdspan<float, cs::extents<int, 4, 8>> a(x); cs::mdspan<const float, cs::extents<int, cs::dynamic_extent, 8>, cs::layout_left> b(y, n); a(1, 2) = b(1, 2); static_assert(a.static_extent(1) == 8 && a.rank() == 2 && b.rank_dynamic() == 1); x[0] = a.stride(0) + b.stride(1); }

//// ok: mdspan by stride
#include <cuda/std/mdspan>
#include <cuda/std/array>
namespace cs = cuda::std;
__global__ void k(float* x, int n) { using E = cs::dextents<int, 2>; cs::layout_stride::mapping<E> m(E(n, n), cs::array<int, 2>{2 * n, 2}); cs::mdspan<float, E, cs::layout_stride> a(x, m); a(1, 1) = 3; x[0] = a.mapping().required_span_size(); cs::mdspan<const float, E, cs::layout_stride> c = a; x[1] = c(0, 1); }

//// refused: mdspan with an index too few
#include <cuda/std/mdspan>
__global__ void k(float* x, int n, int m) { cuda::std::mdspan a(x, n, m); a(1) = 2; }

//// refused: mdspan with two indices in brackets
#include <cuda/std/mdspan>
__global__ void k(float* x, int n, int m) { cuda::std::mdspan a(x, n, m); a[1, 2] = 2; }

//// refused: assigning to a constant mdspan
#include <cuda/std/mdspan>
__global__ void k(const float* x, int n, int m) { cuda::std::mdspan a(x, n, m); a(1, 2) = 2; }

//// ok: extents alone
#include <cuda/std/mdspan>
__global__ void k(int* x, int n) { cuda::std::extents<int, 3, cuda::std::dynamic_extent> e(n); x[0] = e.extent(0) + e.extent(1); cuda::std::dextents<int, 2> d(3, n); x[1] = e == d; cuda::std::extents g(3, n); x[2] = g.extent(1); }

//// ok: chrono's durations
#include <cuda/std/chrono>
__global__ void k(int* x) { using namespace cuda::std::chrono; auto d = duration_cast<microseconds>(milliseconds(3)); x[0] = d.count(); x[1] = (seconds(1) + milliseconds(5)).count(); }

//// ok: chrono's clock
#include <cuda/std/chrono>
__global__ void k(long long* x) { namespace ch = cuda::std::chrono; auto t = ch::high_resolution_clock::now(); x[0] = (ch::system_clock::now() - t).count(); ch::duration<double> s = ch::system_clock::now() - t; x[1] = s.count() > 0; }

//// refused: chrono's steady clock
#include <cuda/std/chrono>
__global__ void k(long long* x) { x[0] = cuda::std::chrono::steady_clock::now().time_since_epoch().count(); }

//// ok: host RAII wrapper
template <typename T> class Buffer { T* p_ = nullptr; public: explicit Buffer(size_t n) { cudaMalloc(&p_, n * sizeof(T)); } ~Buffer() { cudaFree(p_); } Buffer(const Buffer&) = delete; T* get() const { return p_; } operator T*() const { return p_; } };
__global__ void k(float* x) { x[0] = 1; }
void f() { Buffer<float> b(3); k<<<1, 1>>>(b); k<<<1, 1>>>(b.get()); }

//// ok: a complex number with all its constructors
struct Complex { float re, im; __host__ __device__ Complex() {} __host__ __device__ Complex(float a, float b = 0) : re(a), im(b) {} __host__ __device__ Complex(const Complex& o) : re(o.re), im(o.im) {} __host__ __device__ Complex& operator=(const Complex& o) { re = o.re; im = o.im; return *this; } __host__ __device__ ~Complex() {} __host__ __device__ Complex operator*(const Complex& o) const { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); } };
__global__ void k(Complex* x, Complex c, int n) { int i = threadIdx.x; if (i < n) x[i] = x[i] * c; Complex local[4]; local[i % 4] = x[i]; x[0] = local[1]; }
void f(Complex* x) { k<<<1, 32>>>(x, Complex(1, 2), 3); }

//// ok: a lock class with a destructor
struct Lock { int* m; Lock() { cudaMalloc(&m, 4); cudaMemset(m, 0, 4); } ~Lock() { cudaFree(m); } __device__ void lock() { while (atomicCAS(m, 0, 1)) ; __threadfence(); } __device__ void unlock() { __threadfence(); atomicExch(m, 0); } };
__global__ void k(Lock l, int* x) { if (threadIdx.x == 0) { l.lock(); x[0] += 1; l.unlock(); } }

//// refused: structured bindings with too few names
struct P { int a; float b; };
__global__ void k(int* x) { P p{1, 2}; auto [a] = p; x[0] = a; }

//// ok: a structured binding captured by a lambda
struct P { int a; float b; };
__global__ void k(int* x) { P p{1, 2}; auto [a, b] = p; auto l = [&] { return a; }; x[0] = l(); }

//// ok: structured binding of float4
__global__ void k(float* x) { auto [a, b, c, d] = reinterpret_cast<float4*>(x)[0]; x[0] = a + b + c + d; }

//// ok: template lambda of C++20
__global__ void k(float* x) { auto sq = []<typename T>(T a) { return a * a; }; x[0] = sq(x[1]); }

//// refused: recursive lambda by auto
__global__ void k(int* x) { auto f = [](int n) { return n ? f(n - 1) : 0; }; x[0] = f(3); }

//// ok: function pointer as a template parameter
__device__ int twice(int a) { return 2 * a; }
template <int (*F)(int)> __global__ void k(int* x) { x[0] = F(x[1]); }
void f(int* x) { k<twice><<<1, 1>>>(x); }

//// ok: anonymous union in a struct
struct V { union { struct { float x, y; }; float a[2]; }; };
__global__ void k(float* o) { V v; v.a[0] = 1; v.a[1] = 2; o[0] = v.x + v.y; }

//// refused: address of a bit-field
struct B { unsigned a : 3; };
__global__ void k(unsigned* x) { B b{}; unsigned* p = &b.a; x[0] = *p; }

//// refused: atomicAdd on a bit-field
struct B { unsigned a : 3; };
__global__ void k(unsigned* x) { __shared__ B b; atomicAdd(&b.a, 1u); x[0] = b.a; }

//// ok: lambda captures copy of this
struct S { int n; __device__ int go(int a) { auto l = [*this](int b) { return n + b; }; return l(a); } };
__global__ void k(int* x) { S s{3}; x[0] = s.go(x[1]); }

//// refused: reduce_add_sync of float
__global__ void k(float* x) { x[0] = __reduce_add_sync(~0u, x[1]); }

//// refused: reduce without a mask
__global__ void k(unsigned* x) { x[0] = __reduce_add_sync(x[1]); }

//// refused: match_all without the predicate
__global__ void k(int* x) { x[0] = __match_all_sync(~0u, x[1]); }

//// refused: match_any of a struct
struct S { int a; };
__global__ void k(S* s, int* x) { x[0] = __match_any_sync(~0u, s[0]); }

//// ok: shuffles of all types
#include <cuda_fp16.h>
__global__ void k(int* a, float* b, double* c, unsigned long long* d, long* e, __half* h, __half2* g) { a[0] = __shfl_sync(~0u, a[0], 1); b[0] = __shfl_up_sync(~0u, b[0], 1, 16); c[0] = __shfl_down_sync(~0u, c[0], 1); d[0] = __shfl_xor_sync(~0u, d[0], 1); e[0] = __shfl_xor_sync(~0u, e[0], 1); h[0] = __shfl_xor_sync(~0u, h[0], 1); g[0] = __shfl_xor_sync(~0u, g[0], 1); }

//// refused: shuffle of a pointer
__global__ void k(int** x) { x[0] = __shfl_sync(~0u, x[1], 0); }

//// refused: assert with two arguments
#include <cassert>
__global__ void k(int* x, int n) { assert(n > 0, "n is positive"); x[0] = n; }

//// ok: vprintf by a template
#include <cstdio>
template <typename... T> __device__ void say(const char* f, T... t) { printf(f, t...); }
__global__ void k(int* x) { say("%d %d\n", x[0], x[1]); }

//// ok: template's extern shared by a helper struct
template <typename T> struct Shared { __device__ static T* get() { extern __shared__ unsigned char bytes[]; return reinterpret_cast<T*>(bytes); } };
template <typename T> __global__ void k(T* x) { T* s = Shared<T>::get(); s[0] = x[0]; x[1] = s[0]; }
void f(float* x, int* y) { k<<<1, 1, 16>>>(x); k<<<1, 1, 16>>>(y); }

//// ok: unrolls
template <int N> __global__ void k(float* x) {
#pragma unroll
  for (int i = 0; i < N; ++i) x[i] = i;
#pragma unroll 4
  for (int i = 0; i < N; ++i) x[i] = i;
#pragma unroll (N / 2)
  for (int i = 0; i < N; ++i) x[i] = i;
#pragma unroll N
  for (int i = 0; i < N; ++i) x[i] = i;
#pragma nounroll
  for (int i = 0; i < N; ++i) x[i] = i;
}
void f(float* x) { k<8><<<1, 1>>>(x); }

//// refused: unroll of what there is not
__global__ void k(float* x, int n) {
#pragma unroll FACTOR
  for (int i = 0; i < n; ++i) x[i] = i;
}

//// refused: restrict on a value
__global__ void k(float __restrict__ x, float* y) { y[0] = x; }

//// refused: ldg of a struct
struct S { float a; };
__global__ void k(S* x, const S* y) { x[0] = __ldg(y); }

//// ok: atomicAdd of all
__global__ void k(int* a, unsigned* b, unsigned long long* c, float* d, double* e) { atomicAdd(a, 1); atomicAdd(b, 1u); atomicAdd(c, 1ull); atomicAdd(d, 1.f); atomicAdd(e, 1.0); atomicAdd(c, 1); atomicAdd(d, 1); }

//// refused: atomicAdd of long
__global__ void k(long* x) { atomicAdd(x, 1L); }

//// refused: atomicExch of double
__global__ void k(double* x) { atomicExch(x, 1.0); }

//// refused: atomicSub of float
__global__ void k(float* x) { atomicSub(x, 1.f); }

//// refused: bf16 plus half
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(__nv_bfloat16* x, half* y) { x[0] = x[1] + y[0]; }

//// refused: tile of 48
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto t = cg::tiled_partition<48>(cg::this_thread_block()); x[0] = t.size(); }

//// refused: shuffle of a thread_block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto b = cg::this_thread_block(); x[0] = b.shfl(x[1], 0); }

//// ok: group memcpy_async
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { __shared__ int s[32]; auto b = cg::this_thread_block(); cg::memcpy_async(b, s, x, sizeof s); cg::wait(b); x[0] = s[0]; }

//// ok: launch attributes
__global__ void k(int* x) { x[0] = 1; }
void f(int* x, cudaStream_t s) { cudaLaunchConfig_t c = {}; c.gridDim = 1; c.blockDim = 32; c.stream = s; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeCooperative; a[0].val.cooperative = 1; c.attrs = a; c.numAttrs = 1; cudaLaunchKernelEx(&c, k, x); }

//// refused: non-type template parameter of class type
struct P { int a; };
template <P p> __global__ void k(int* x) { x[0] = p.a; }
void f(int* x) { k<P{3}><<<1, 1>>>(x); }

//// refused: float template parameter
template <float F> __global__ void k(float* x) { x[0] = F; }
void f(float* x) { k<1.f><<<1, 1>>>(x); }

//// ok: range for with initialiser
__global__ void k(int* x) { int a[3] = {1, 2, 3}; for (int s = 0; int v : a) { s += v; x[0] = s; } }

//// refused: ambiguous member
struct A { int a = 1; }; struct B { int a = 2; }; struct C : A, B {};
__global__ void k(int* x) { C c; x[0] = c.a; }

//// refused: operator() of a const object
struct M { float* p; __device__ float& operator()(int r) { return p[r]; } };
__global__ void k(const M m) { m(1) = 3; }

//// refused: enable_if that fits nothing
#include <type_traits>
template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0> __device__ int kind(T) { return 1; }
__global__ void k(int* x) { x[0] = kind(2.f); }

//// ok: nested namespace inline
namespace a::inline b { __device__ int g() { return 1; } }
__global__ void k(int* x) { x[0] = a::g(); }

//// ok: lambda capture pack
template <typename... T> __device__ int g(T... t) { return [... v = t] { return (v + ...); }(); }
__global__ void k(int* x) { x[0] = g(1, 2); }

//// refused: std::array filled in a kernel
#include <array>
__global__ void k(int* x) { std::array<int, 4> a; a.fill(3); x[0] = a[1]; }

//// refused: std::tie in a kernel
#include <tuple>
__global__ void k(int* x) { int a, b; std::tie(a, b) = std::make_tuple(1, 2); x[0] = a + b; }

//// refused: std::function in a kernel
#include <functional>
__global__ void k(int* x) { std::function<int(int)> f = [](int a) { return a; }; x[0] = f(1); }

//// ok: string_view in a kernel
#include <string_view>
__global__ void k(int* x) { std::string_view s("abc"); x[0] = s.size() + s[1]; }

//// refused: a copied buffer
template <typename T> class Buffer { T* p_ = nullptr; public: explicit Buffer(size_t n) { cudaMalloc(&p_, n * sizeof(T)); } Buffer(const Buffer&) = delete; T* get() const { return p_; } };
__global__ void k(float* x) { x[0] = 1; }
void f() { Buffer<float> b(3); Buffer<float> c = b; k<<<1, 1>>>(c.get()); }

//// ok: dispatch by a lambda
template <int B> __global__ void k(int* x) { x[0] = B; }
#include <type_traits>
void f(int* x, bool b) { auto go = [&](auto n) { k<decltype(n)::value><<<1, 32>>>(x); }; if (b) go(std::integral_constant<int, 3>{}); else go(std::integral_constant<int, 4>{}); }

//// ok: check macro
#include <cstdio>
#include <cstdlib>
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__global__ void k(int* x) { x[0] = 1; }
void f(int* x) { k<<<1, 1>>>(x); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); }

//// ok: kernel with a two-dimensional pointer
__global__ void k(float (*x)[32], int r) { x[r][threadIdx.x] = 1; }
void f(float* x) { k<<<1, 32>>>((float (*)[32])x, 1); k<<<1, 32>>>(reinterpret_cast<float (*)[32]>(x), 1); }

//// refused: overloads that differ in the return type
__device__ int g(int a) { return a; } __device__ float g(int a) { return a; }
__global__ void k(int* x) { x[0] = g(1); }

//// refused: printf of a std::string
#include <cstdio>
#include <string>
__global__ void k(int* x, std::string s) { printf("%s", s.c_str()); }

//// ok: iterators of a learner's
struct Stride { int i, step; __device__ int operator*() const { return i; } __device__ Stride& operator++() { i += step; return *this; } __device__ bool operator!=(const Stride& o) const { return i < o.i; } };
struct Range { int b, e, s; __device__ Stride begin() const { return {b, s}; } __device__ Stride end() const { return {e, s}; } };
__device__ Range grid_stride(int n) { return {int(blockIdx.x * blockDim.x + threadIdx.x), n, int(gridDim.x * blockDim.x)}; }
__global__ void k(float* x, int n) { for (int i : grid_stride(n)) x[i] *= 2; }

//// ok: operators composed by templates
template <typename F, typename G> struct Compose { F f; G g; __device__ float operator()(float x) const { return f(g(x)); } };
struct Relu { __device__ float operator()(float x) const { return x > 0 ? x : 0; } }; struct Scale { float s; __device__ float operator()(float x) const { return s * x; } };
template <typename F, typename G> Compose<F, G> compose(F f, G g) { return {f, g}; }
template <typename F> __global__ void map(float* x, F f, int n) { int i = threadIdx.x; if (i < n) x[i] = f(x[i]); }
void f(float* x) { map<<<1, 32>>>(x, compose(Relu{}, Scale{2}), 32); }

//// ok: a lock class
class Lock { int* m; public: __host__ Lock() { cudaMalloc(&m, 4); cudaMemset(m, 0, 4); } __host__ void destroy() { cudaFree(m); } __device__ void lock() { while (atomicCAS(m, 0, 1)) ; __threadfence(); } __device__ void unlock() { __threadfence(); atomicExch(m, 0); } };
__global__ void k(Lock l, int* x) { if (threadIdx.x == 0) { l.lock(); x[0] += 1; l.unlock(); } }
void f(int* x) { Lock l; k<<<2, 32>>>(l, x); l.destroy(); }

//// ok: tuple-like template recursion
template <int N> struct Unroll { template <typename F> __device__ static void go(F f) { Unroll<N - 1>::go(f); f(N - 1); } }; template <> struct Unroll<0> { template <typename F> __device__ static void go(F) {} };
__global__ void k(float* x) { Unroll<4>::go([&](int i) { x[i] = i; }); }

//// ok: dynamic shared memory cut by a helper
struct Cutter { char* p; template <typename T> __device__ T* take(int n) { T* r = reinterpret_cast<T*>(p); p += n * sizeof(T); return r; } };
__global__ void k(float* x, int n) { extern __shared__ __align__(16) char raw[]; Cutter c{raw}; float* a = c.take<float>(n); int* b = c.take<int>(n); a[threadIdx.x] = b[threadIdx.x] = 1; __syncthreads(); x[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

//// ok: std::tuple given to a kernel
#include <tuple>
__global__ void k(std::tuple<int, float> p, float* x) { x[0] = std::get<0>(p) + std::get<1>(p); }
void f(float* x) { k<<<1, 1>>>(std::make_tuple(1, 2.f), x); }

//// ok: std::optional given to a kernel
#include <optional>
__global__ void k(std::optional<float> p, float* x) { x[0] = p ? *p : 0; }
void f(float* x) { k<<<1, 1>>>(2.f, x); k<<<1, 1>>>(std::nullopt, x); }

//// ok: a kernel as a friend of a class
class Acc; __global__ void k(Acc* a);
class Acc { float v; friend __global__ void k(Acc*); };
__global__ void k(Acc* a) { a->v += 1; }

//// ok: empty base and tag dispatch
struct fast_tag {}; struct slow_tag {};
__device__ float go(float a, fast_tag) { return __expf(a); } __device__ float go(float a, slow_tag) { return expf(a); }
template <typename Tag> __global__ void k(float* x, Tag t) { x[0] = go(x[0], t); x[1] = go(x[1], Tag{}); }
void f(float* x) { k<<<1, 1>>>(x, fast_tag{}); k<slow_tag><<<1, 1>>>(x, {}); }

//// refused: a global array named all
int all[4];
__global__ void k(int* x) { x[0] = 1; }
int f() { return all[1]; }

//// ok: an array named all in a namespace and a local any
namespace mine { int all[4]; }
__global__ void k(int* x) { int any = x[1]; x[0] = any; }
int f() { return mine::all[1]; }

//// ok: cudaLaunchKernelExC
__global__ void k(int* x) { x[0] = 1; }
void f(int* x, cudaStream_t s) { cudaLaunchConfig_t c = {}; c.gridDim = 1; c.blockDim = 32; c.stream = s; void* arguments[] = {&x}; cudaLaunchKernelExC(&c, (const void*)k, arguments); }

//// refused: cudaLaunchKernelExC without arguments
__global__ void k(int* x) { x[0] = 1; }
void f(int* x) { cudaLaunchConfig_t c = {}; cudaLaunchKernelExC(&c, (const void*)k); }
