// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: strlen of a literal
#include <cstring>
__global__ void k(int* x) { x[0] = strlen("abc"); }

//// refused: strlen of a const char pointer local
#include <cstring>
__global__ void k(int* x) { const char* s = "abc"; x[0] = strlen(s); }

//// ok: strlen of a parameter in the host
#include <cstring>
int f(const char* s) { return strlen(s) + strlen("abc"); }

//// ok: strlen in a function of both sides
#include <cstring>
__host__ __device__ int f(const char* s) { return strlen(s); }
__global__ void k(int* x, const char* s) { x[0] = f(s); }

//// refused: strlen of a __constant__ array
#include <cstring>
__constant__ char s[] = "abc";
__global__ void k(int* x) { x[0] = strlen(s); }

//// ok: strlen of a const array of the file
#include <cstring>
const char s[] = "abc";
__global__ void k(int* x) { x[0] = strlen(s); }

//// refused: strlen of a template's text
#include <cstring>
template <int N> __device__ int length(const char (&text)[N]) { return strlen(text); }
__global__ void k(int* x) { x[0] = length("abc"); }

//// ok: strlen of a template parameter's name
#include <cstring>
template <class T> struct Name { static constexpr const char* text = "abc"; };
template <class T> __global__ void k(T* x) { x[0] = strlen(Name<T>::text); }
template __global__ void k<int>(int*);

//// ok: constexpr object copied into a local
struct T { int v[3]; int n; };
constexpr T t = {{1, 2, 3}, 4};
__global__ void k(int* x) { T u = t; x[0] = u.v[threadIdx.x]; }

//// ok: const object copied and no arrays
struct T { int a, n; };
const T t = {3, 4};
__global__ void k(int* x) { T u = t; x[0] = u.n; }

//// refused: const float4 assigned
const float4 t = {1, 2, 3, 4};
__global__ void k(float4* x) { x[0] = t; }

//// ok: constexpr object assigned
struct T { int a, n; };
constexpr T t = {3, 4};
__global__ void k(T* x) { x[0] = t; }

//// refused: constexpr object in a ternary
struct T { int a, n; };
constexpr T t = {3, 4}, u = {4, 5};
__global__ void k(T* x) { T w = x[0].n ? t : u; x[0] = w; }

//// refused: constexpr object's member by reference
struct T { int a, n; };
constexpr T t = {3, 4};
__device__ int get(const int& n) { return n; }
__global__ void k(int* x) { x[0] = get(t.n); }

//// refused: constexpr object's member by address
struct T { int a, n; };
constexpr T t = {3, 4};
__global__ void k(int* x) { const int* p = &t.n; x[0] = *p; }

//// ok: constexpr object's member by std::max
#include <algorithm>
struct T { int a, n; };
constexpr T t = {3, 4};
__global__ void k(int* x) { x[0] = std::max(t.n, t.a); }

//// ok: constexpr ints by std::max
#include <algorithm>
constexpr int a = 3, b = 4;
__global__ void k(int* x) { x[0] = std::max(a, b); }

//// ok: constexpr ints by std::max into a constexpr
#include <algorithm>
constexpr int a = 3, b = 4;
__global__ void k(int* x) { constexpr int c = std::max(a, b); x[0] = c; }

//// ok: constexpr int by a constexpr function by reference and a constant
constexpr int a = 3;
constexpr int add(const int& n, int m) { return n + m; }
__global__ void k(int* x) { x[0] = add(a, 2); }

//// refused: constexpr int by a constexpr function by reference and a variable
constexpr int a = 3;
constexpr int add(const int& n, int m) { return n + m; }
__global__ void k(int* x) { x[0] = add(a, x[0]); }

//// ok: const int by a constexpr function by reference and a constant
const int a = 3;
constexpr int add(const int& n, int m) { return n + m; }
__global__ void k(int* x) { x[0] = add(a, 2); }

//// ok: constexpr array by a constexpr function and a constant
constexpr int t[3] = {1, 2, 3};
constexpr int get(const int* p, int i) { return p[i]; }
__global__ void k(int* x) { x[0] = get(t, 2); }

//// refused: constexpr array by a constexpr function and a variable
constexpr int t[3] = {1, 2, 3};
constexpr int get(const int* p, int i) { return p[i]; }
__global__ void k(int* x) { x[0] = get(t, x[0]); }

//// ok: constexpr array by a constexpr function in an expression
constexpr int t[3] = {1, 2, 3};
constexpr int get(const int* p, int i) { return p[i]; }
__global__ void k(int* x) { x[0] = x[1] * get(t, 2) + 1; if (get(t, 1) > x[0]) x[1] = 1; }

//// ok: constexpr array dereferenced
constexpr int t[3] = {1, 2, 3};
__global__ void k(int* x) { x[0] = *t; }

//// ok: constexpr array of a class dereferenced
struct A { static constexpr int t[3] = {1, 2, 3}; };
__global__ void k(int* x) { x[0] = *A::t; }

//// ok: constexpr array in an array initialiser
constexpr int t[3] = {1, 2, 3};
__global__ void k(int* x) { const int u[2] = {t[0], t[1]}; x[0] = u[x[1]]; }

//// ok: constexpr array in an initialiser of a constexpr
constexpr int t[3] = {1, 2, 3};
__global__ void k(int* x) { constexpr int n = t[0] + t[1]; x[0] = n; }

//// ok: constexpr array in an initialiser of a const
constexpr int t[3] = {1, 2, 3};
__global__ void k(int* x) { const int n = t[0] + t[1]; x[0] = n; }

//// ok: constexpr array in an initialiser of a static const
constexpr int t[3] = {1, 2, 3};
__global__ void k(int* x) { static const int n = t[0] + t[1]; x[0] = n; }

//// ok: constexpr array in an initialiser of an int
constexpr int t[3] = {1, 2, 3};
__global__ void k(int* x) { int n = t[0] + t[1]; x[0] = n; }

//// ok: constexpr array in the initialiser of a shared size
constexpr int t[3] = {1, 2, 3};
__global__ void k(int* x) { __shared__ int s[t[1]]; s[0] = 1; x[0] = s[0]; }

//// refused: constexpr array in a loop bound
constexpr int t[3] = {1, 2, 3};
__global__ void k(int* x) { for (int i = 0; i < t[2]; ++i) x[i] = 1; }

//// ok: constexpr array in a static_assert of a template
constexpr int t[3] = {1, 2, 3};
template <int N> __global__ void k(int* x) { static_assert(t[N] > 0); if constexpr (t[N] > 1) x[0] = 1; constexpr int v = t[N]; x[1] = v; }
template __global__ void k<1>(int*);

//// ok: constexpr array as a template argument in a template
constexpr int t[3] = {1, 2, 3};
template <int N> __device__ int get() { return N; }
template <int N> __global__ void k(int* x) { x[0] = get<t[N]>(); }
template __global__ void k<1>(int*);

//// ok: operator of constexpr objects
struct P { int a; constexpr P operator+(const P& o) const { return {a + o.a}; } };
constexpr P p = {1}, q = {2};
__global__ void k(int* x) { x[0] = (p + q).a; P r = p + q; x[1] = r.a; }

//// refused: operator of a constexpr object and a variable
struct P { int a; constexpr P operator+(const P& o) const { return {a + o.a}; } };
constexpr P p = {1};
__global__ void k(int* x) { P r = p + P{x[0]}; x[1] = r.a; }

//// ok: comparison of constexpr objects
struct P { int a; constexpr bool operator==(const P& o) const { return a == o.a; } };
constexpr P p = {1}, q = {2};
__global__ void k(int* x) { if (p == q) x[0] = 1; }

//// ok: conversion of a constexpr object
struct P { int a; constexpr operator int() const { return a; } };
constexpr P p = {1};
__global__ void k(int* x) { x[0] = p; x[1] = p + x[0]; }

//// refused: a conversion of a constexpr object with a device function
struct P { int a; __host__ __device__ operator int() const { return a; } };
constexpr P p = {1};
__global__ void k(int* x) { x[0] = p; }

//// refused: an empty constexpr functor called with a variable
struct P { constexpr int operator()(int i) const { return 1 + i; } };
constexpr P p{};
__global__ void k(int* x) { x[0] = p(x[1]); }

//// ok: an empty constexpr functor called with a constant
struct P { constexpr int operator()(int i) const { return 1 + i; } };
constexpr P p{};
__global__ void k(int* x) { x[0] = p(3); }

//// ok: an empty constexpr object handed on by value
struct Tag {};
constexpr Tag tag{};
__device__ int get(Tag) { return 1; }
__global__ void k(int* x) { x[0] = get(tag); }

//// refused: an empty constexpr object handed on by reference
struct Tag {};
constexpr Tag tag{};
__device__ int get(const Tag&) { return 1; }
__global__ void k(int* x) { x[0] = get(tag); }

//// ok: an empty constexpr functor handed to a template
struct P { __device__ int operator()(int i) const { return 1 + i; } };
constexpr P p{};
template <class F> __device__ int call(F f) { return f(1); }
__global__ void k(int* x) { x[0] = call(p); }

//// refused: is_constant_evaluated in one's own constexpr method
struct T { int n; constexpr int get() const { return __builtin_is_constant_evaluated() ? n : n + 1; } };
constexpr T t = {3};
__global__ void k(int* x) { x[0] = t.get(); }

//// refused: a const host int returned from a device function by reference
const int n = 3;
__device__ const int& get() { return n; }
__global__ void k(int* x) { x[0] = get(); }

//// ok: a constexpr host int returned from a device function by value
constexpr int n = 3;
__device__ int get() { return n; }
__global__ void k(int* x) { x[0] = get(); }

//// refused: a const host int to a variadic template by forwarding
const int n = 3;
template <class... T> __device__ int sum(T&&... v) { return (v + ...); }
__global__ void k(int* x) { x[0] = sum(n, 2); }

//// ok: a const host int in make_pair
#include <utility>
const int n = 3;
__global__ void k(int* x) { auto p = std::make_pair(n, 2); x[0] = p.first; }

//// refused: a const host int in a class's constructor by reference
const int n = 3;
struct A { int m; __device__ A(const int& m) : m(m) {} };
__global__ void k(int* x) { A a(n); x[0] = a.m; }

//// ok: a const host int in a class's constexpr constructor by reference
const int n = 3;
struct A { int m; constexpr A(const int& m) : m(m) {} };
__global__ void k(int* x) { A a(n); x[0] = a.m; }

//// refused: constexpr max of CUDA
constexpr int m = max(3, 4);
__global__ void k(int* x) { x[0] = m; }

//// refused: constexpr local min of CUDA
__global__ void k(int* x) { constexpr int m = min(3, 4); x[0] = m; }

//// refused: shared array as large as max of CUDA
__global__ void k(int* x) { __shared__ int s[max(3, 4)]; s[0] = 1; x[0] = s[0]; }

//// refused: template argument max of CUDA
template <int N> __device__ int get() { return N; }
__global__ void k(int* x) { x[0] = get<max(3, 4)>(); }

//// refused: static assertion of max of CUDA
static_assert(max(3, 4) == 4, "");

//// refused: const int of max of CUDA
const int m = max(3, 4);
__global__ void k(int* x) { x[0] = m; }

//// ok: constexpr std::max
#include <algorithm>
constexpr int m = std::max(3, 4);
__global__ void k(int* x) { __shared__ int s[std::max(m, 2)]; s[0] = 1; x[0] = s[0] + m; }

//// refused: constexpr make_float4
constexpr float4 v = make_float4(1, 2, 3, 4);
__global__ void k(float* x) { x[0] = v.x; }

//// refused: __constant__ int_as_float
__constant__ float f = __int_as_float(0x3f800000);
__global__ void k(float* x) { x[0] = f; }

//// refused: constexpr int_as_float in a kernel
__global__ void k(float* x) { constexpr float f = __int_as_float(0x3f800000); x[0] = f; }

//// ok: constexpr dim3
constexpr dim3 b(32, 8);
__global__ void k(int* x) { x[0] = b.x * b.y; }
void f(int* x) { k<<<1, b>>>(x); }

//// refused: constexpr half
#include <cuda_fp16.h>
__global__ void k(half* x) { constexpr half h = 1.0f; x[0] = h; }

//// refused: __constant__ half
#include <cuda_fp16.h>
__constant__ half h = 1.0f;
__global__ void k(half* x) { x[0] = h; }

//// ok: half max of CUDA
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = __hmax(x[1], x[2]); }

//// ok: a const host float initialised by another
const float v = 2.f; const float w = v * 3;
__global__ void k(float* x) { x[0] = w; }

//// refused: a const host float initialised by sqrt
#include <cmath>
const float v = std::sqrt(2.f);
__global__ void k(float* x) { x[0] = v; }

//// refused: a const host float initialised by sqrtf
const float v = sqrtf(2.f);
__global__ void k(float* x) { x[0] = v; }

//// refused: a const host double initialised by acos
#include <cmath>
const double pi = std::acos(-1.0);
__global__ void k(double* x) { x[0] = pi; }

//// ok: a const host struct member
struct P { int a, b; };
const P p = {1, 2};
__global__ void k(int* x) { x[0] = p.b; }

//// ok: a const host float4
const float4 v = {1, 2, 3, 4};
__global__ void k(float* x) { x[0] = v.y; }

//// refused: a const host float4 copied
const float4 v = {1, 2, 3, 4};
__global__ void k(float4* x) { x[0] = v; }

//// refused: a const host float4 by make_float4
const float4 v = make_float4(1, 2, 3, 4);
__global__ void k(float* x) { x[0] = v.y; }

//// refused: a const host pointer to a string
const char* const s = "abc";
__global__ void k(char* x) { x[0] = s[1]; }

//// refused: a volatile const host variable
const volatile int v = 3;
__global__ void k(int* x) { x[0] = v; }

//// refused: a constant of the host as the bound of a parameter
constexpr int n = 3;
const int m = 2;
__device__ int first(int (&v)[n], const float (&w)[m][n], int (*p)[n]) { return v[0] + (*p)[1]; }
template <int K> __device__ int tiles(float (&tile)[n][K]) { return K; }
struct S { int v[n]; __device__ void write(const float (&values)[n][m]) const {} };
template <int K = n> __global__ void k(int* x) { int a[n] = {}; int b[m][n] = {}; auto p = (int(*)[n])x; auto q = reinterpret_cast<int (*)[m]>(x); x[0] = first(a, {}, b) + p[0][1] + q[0][1] + sizeof(int[n]); float t[n][m]; x[1] = tiles(t); int* o = new int[n]; delete[] o; using T = int[n]; T u = {}; x[2] = u[0]; }
template __global__ void k<3>(int*);
__global__ __launch_bounds__(n * 32) void l(int* x) noexcept(n > 2) { x[0] = n; }

//// ok: a lambda's capture with a constant of the host
constexpr int n = 3;
__global__ void k(int* x) { auto f = [m = n](int i) { return m + i; }; x[0] = f(n); }

//// ok: a constructor's base and members with constants of the host
constexpr int n = 3; const float f = 2;
struct B { int m; __device__ B(int m) : m(m) {} };
struct A : B { float g; int v[n]; __device__ A() : B(n), g(f), v{n, n} {} };
__global__ void k(float* x) { A a; x[0] = a.m + a.g + a.v[1]; }

//// ok: std::array with a method at in a device function
#include <array>
__device__ int f(const std::array<int, 3>& a, int i) { return a.at(i); }
__global__ void k(int* x) { std::array<int, 3> a{1, 2, 3}; x[0] = f(a, x[1]); }

//// ok: a constexpr function of the file that calls a host function by a template
template <class T> T host(T x) { return x; }
template <class T> constexpr T f(T x) { return x > 0 ? x : host(x); }
__global__ void k(int* x) { x[0] = f(x[1]); }

//// ok: constexpr std abs
#include <cstdlib>
constexpr int a = std::abs(-3);
__global__ void k(int* x) { x[0] = a; }

//// ok: constexpr std abs in kernel
#include <cstdlib>
__global__ void k(int* x) { constexpr int a = std::abs(-3); x[0] = a; }

//// ok: constexpr abs global
constexpr int a = abs(-3);
__global__ void k(int* x) { x[0] = a; }

//// ok: abs in a host function of a variable
#include <cstdlib>
int f(int a, long b, long long c) { int (*p)(int) = abs; return abs(a) + labs(b) + llabs(c) + p(a); }

//// ok: abs pointer in a kernel
__global__ void k(int* x) { int (*p)(int) = abs; x[0] = p(x[1]); }

//// ok: constexpr device function called by host
__device__ constexpr int sq(int a) { return a * a; }
int f(int a) { return sq(a); }

//// ok: constexpr device function in a host constant
__device__ constexpr int sq(int a) { return a * a; }
constexpr int n = sq(4);
int f() { return n; }

//// ok: constexpr device function that calls a device function called by the host
__device__ int g(int a) { return a; }
__device__ constexpr int sq(int a) { return a > 0 ? a * a : g(a); }
int f(int a) { return sq(a); }

//// ok: constexpr device method called by the host
struct S { int v; __device__ constexpr int sq() const { return v * v; } __device__ constexpr S(int a) : v(a) {} };
int f(int a) { return S(a).sq(); }

//// ok: constexpr device template called by the host
template <class T> __device__ constexpr T sq(T a) { return a * a; }
int f(int a) { return sq(a); }

//// ok: constexpr device operator called by the host
struct S { int v; };
__device__ constexpr S operator+(S a, S b) { return {a.v + b.v}; }
int f(int a) { return (S{a} + S{a}).v; }

//// ok: constexpr device function used by a function of both sides
__device__ constexpr int sq(int a) { return a * a; }
__host__ __device__ int f(int a) { return sq(a); }
__global__ void k(int* x) { x[0] = f(1); }
int g(int a) { return f(a); }

//// ok: constexpr device static method in a host array's size
struct S { __device__ static constexpr int n() { return 4; } };
float table[S::n()];
int f() { return S::n(); }

//// ok: constexpr device function in launch configuration
__device__ constexpr int threads() { return 128; }
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, threads()>>>(x); }

//// refused: strlen of const local array
__global__ void k(int* x) { const char s[] = "abc"; x[0] = strlen(s); }

//// refused: strlen of a non const local array
__global__ void k(int* x) { char s[] = "abc"; x[0] = strlen(s); }

//// ok: strlen of a constexpr local array
__global__ void k(int* x) { constexpr char s[] = "abc"; x[0] = strlen(s); }

//// ok: strlen of a static const local array
__global__ void k(int* x) { static const char s[] = "abc"; x[0] = strlen(s); }

//// refused: strlen of a const pointer to literal local
__global__ void k(int* x) { const char* const s = "abc"; x[0] = strlen(s); }

//// ok: strlen of a constexpr local pointer
__global__ void k(int* x) { constexpr const char* s = "abc"; x[0] = strlen(s); }

//// ok: constexpr functions of the host in a kernel
__host__ constexpr unsigned operator""_kb(unsigned long long n) { return n * 1024; }
__host__ constexpr int twice(int a) { return 2 * a; }
struct B { __host__ constexpr int get() const { return 3; } };
__global__ void k(int* x) { x[0] = 3_kb + twice(x[1]) + B{}.get(); }
