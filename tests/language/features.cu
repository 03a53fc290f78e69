// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// refused: consteval
consteval int three() { return 3; }
__global__ void k(int* x) { x[0] = three(); }

//// refused: concepts
template <class T> concept Number = sizeof(T) > 1;
template <Number T> __global__ void k(T* x) { x[0] = 1; }

//// ok: abbreviated kernel template
__global__ void k(auto* x) { x[0] = 1; }

//// refused: std::ssize
#include <array>
__global__ void k(int* x) { std::array<int, 3> a{}; x[0] = std::ssize(a); }

//// refused: if consteval
__device__ constexpr int f() { if consteval { return 1; } else { return 2; } }
__global__ void k(int* x) { x[0] = f(); }

//// ok: structured binding of a struct
struct P { int a; float b; };
__global__ void k(P* p, float* x) { auto [a, b] = p[0]; x[0] = a + b; }

//// ok: structured binding of an array by reference
__global__ void k(int* x) { int a[2] = {1, 2}; auto& [p, q] = a; p = 3; x[0] = p + q; }

//// ok: structured binding of a float4
__global__ void k(float4* v, float* x) { auto [a, b, c, d] = v[0]; x[0] = a + b + c + d; }

//// refused: structured binding of too few
__global__ void k(float4* v, float* x) { auto [a, b, c] = v[0]; x[0] = a + b + c; }

//// ok: structured binding of a pair and a tuple
#include <tuple>
__global__ void k(int* x) { auto [a, b] = std::make_pair(1, 2); auto [c, d, e] = std::make_tuple(1, 2, 3); x[0] = a + b + c + d + e; }

//// ok: structured binding captured
struct P { int a; float b; };
__global__ void k(P* p, float* x) { auto [a, b] = p[0]; auto f = [a, b] { return a + b; }; x[0] = f(); }

//// ok: structured binding captured by default
struct P { int a; float b; };
__global__ void k(P* p, float* x) { auto [a, b] = p[0]; auto f = [&] { return a + b; }; x[0] = f(); }

//// ok: structured binding captured by copy default
struct P { int a; float b; };
__global__ void k(P* p, float* x) { auto [a, b] = p[0]; auto f = [=] { return a + b; }; x[0] = f(); }

//// ok: structured binding in a range for
struct P { int a; float b; };
__global__ void k(float* x) { P ps[2] = {{1, 2}, {3, 4}}; for (auto [a, b] : ps) x[0] += a * b; }

//// ok: structured binding in an if
__device__ int2 next(int a) { return make_int2(a, a + 1); }
__global__ void k(int* x) { if (auto [a, b] = next(x[1]); a < b) x[0] = a; }

//// ok: fold expressions
template <class... T> __device__ int sum(T... v) { return (v + ... + 0); }
template <class... T> __device__ bool every(T... v) { return (... && v); }
__global__ void k(int* x) { x[0] = sum(1, 2, 3) + every(true, x[1] > 0); }

//// ok: a fold over a comma
template <int... I> __global__ void k(int* x) { ((x[I] = I), ...); }
void f(int* x) { k<0, 1, 2><<<1, 1>>>(x); }

//// refused: a fold without parentheses
template <class... T> __device__ int sum(T... v) { return v + ...; }
__global__ void k(int* x) { x[0] = sum(1, 2); }

//// refused: an empty fold of plus
template <class... T> __device__ int sum(T... v) { return (v + ...); }
__global__ void k(int* x) { x[0] = sum(); }

//// ok: a deduction guide
template <class T> struct Box { T v; };
template <class T> Box(T) -> Box<T>;
__global__ void k(int* x) { Box b{x[0]}; x[1] = b.v; }

//// ok: a deduction guide with __device__
template <class T> struct Box { T v; };
template <class T> __device__ Box(T) -> Box<T>;
__global__ void k(int* x) { Box b{x[0]}; x[1] = b.v; }

//// ok: lambda captures by copy and reference
__global__ void k(int* x, int n) { int s = 0; auto a = [=](int i) { return i + n; }; auto b = [&](int i) { s += i; }; auto c = [&s, n] { s += n; }; b(a(1)); c(); x[0] = s; }

//// refused: a lambda that captures nothing and reads a local
__global__ void k(int* x, int n) { auto a = [](int i) { return i + n; }; x[0] = a(1); }

//// ok: a lambda that captures this
struct S { int v; __device__ int get(int a) { auto f = [this](int b) { return v + b; }; return f(a); } };
__global__ void k(S* s, int* x) { x[0] = s->get(1); }

//// ok: a lambda that captures *this
struct S { int v; __device__ int get(int a) { auto f = [*this](int b) { return v + b; }; return f(a); } };
__global__ void k(S* s, int* x) { x[0] = s->get(1); }

//// refused: a lambda that captures = and this in C++20's way
struct S { int v; __device__ int get(int a) { auto f = [=, this](int b) { return v + b; }; return f(a); } };
__global__ void k(S* s, int* x) { x[0] = s->get(1); }

//// ok: a lambda that captures a shared array
__global__ void k(int* x) { __shared__ int s[32]; auto put = [&](int i) { s[i] = i; }; put(threadIdx.x); __syncthreads(); x[0] = s[1]; }

//// refused: a lambda that names a shared array in its captures
__global__ void k(int* x) { __shared__ int s[32]; auto put = [&s](int i) { s[i] = i; }; put(threadIdx.x); __syncthreads(); x[0] = s[1]; }

//// ok: a lambda that captures a pack
template <class... T> __device__ int sum(T... v) { auto f = [=] { return (v + ...); }; return f(); }
__global__ void k(int* x) { x[0] = sum(1, 2, 3); }

//// ok: a lambda reads a host table with constants
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x) { auto f = [](int i) { return table[i]; }; constexpr int v = f(1); x[0] = v; }

//// refused: a lambda reads a host table with a variable
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x) { auto f = [](int i) { return table[i]; }; x[0] = f(x[1]); }

//// ok: a lambda reads a host table with a constant at run time
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x) { auto f = [](int i) { return table[i]; }; x[0] = f(1); }

//// ok: a constexpr lambda reads a host table with a constant
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x) { constexpr auto f = [](int i) { return table[i]; }; x[0] = f(1); }

//// ok: a lambda reads a host table as an array's size
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x) { auto f = [](int i) { return table[i]; }; int a[f(1)]; a[0] = x[0]; x[1] = a[0]; }

//// ok: a lambda reads a host table, not called
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x) { auto f = [](int i) { return table[i]; }; (void)f; x[0] = 1; }

//// refused: typeid in a kernel
#include <typeinfo>
struct A { __device__ virtual int f() { return 1; } };
__global__ void k(A* a, int* x) { x[0] = typeid(*a) == typeid(A); }

//// refused: new nothrow in a kernel
#include <new>
__global__ void k(int* x) { int* p = new (std::nothrow) int[4]; if (p) x[0] = p[0]; delete[] p; }

//// ok: unique_ptr with cudaFree
#include <memory>
void f() { float* p; cudaMalloc(&p, 4); std::unique_ptr<float, decltype(&cudaFree)> owner(p, &cudaFree); cudaMemset(owner.get(), 0, 4); }

//// ok: unique_ptr with a functor that calls cudaFree
#include <memory>
struct Free { void operator()(void* p) const { cudaFree(p); } };
void f() { float* p; cudaMalloc(&p, 4); std::unique_ptr<float, Free> owner(p); cudaMemset(owner.get(), 0, 4); }

//// ok: the address of cudaMalloc and cudaStreamSynchronize
void f() { cudaError_t (*a)(void*) = cudaFree; auto b = &cudaStreamSynchronize; auto c = cudaDeviceSynchronize; a(nullptr); b(0); c(); }

//// ok: shared_ptr with cudaFree
#include <memory>
void f() { float* p; cudaMalloc(&p, 4); std::shared_ptr<float> owner(p, cudaFree); }

//// ok: std::function of cudaFree
#include <functional>
void f() { std::function<cudaError_t(void*)> g = cudaFree; g(nullptr); }

//// ok: user-defined literal
__device__ constexpr int operator""_kb(unsigned long long n) { return n * 1024; }
__global__ void k(int* x) { x[0] = 2_kb; }

//// ok: user-defined literal of a float with a half
#include <cuda_fp16.h>
__device__ half operator""_h(long double v) { return __float2half((float)v); }
__global__ void k(half* x) { x[0] = 1.5_h; }

//// ok: user-defined literal named half without an underscore
#include <cuda_fp16.h>
__device__ half operator""half(long double v) { return __float2half((float)v); }
__global__ void k(half* x) { x[0] = 1.5half; }

//// refused: user-defined literal of the host in a kernel
int operator""_kb(unsigned long long n) { return n * 1024; }
__global__ void k(int* x) { x[0] = 2_kb; }

//// ok: user-defined literal with a space
__device__ constexpr int operator"" _kb(unsigned long long n) { return n * 1024; }
__global__ void k(int* x) { x[0] = 2_kb; }

//// ok: user-defined literal of a string
__device__ constexpr int operator""_len(const char* s, size_t n) { return n; }
__global__ void k(int* x) { x[0] = "abc"_len; }

//// refused: user-defined literal used and not declared
__global__ void k(float* x) { x[0] = 1.5_f; }

//// refused: user-defined literal of an int as a float's
__device__ float operator""_f(unsigned long long n) { return n; }
__global__ void k(float* x) { x[0] = 1.5_f; }

//// ok: an overload by a kernel's name in decltype
__global__ void k(int* x) { x[0] = 1; }
__global__ void k(float* x) { x[0] = 2; }
using K = decltype(static_cast<void (*)(float*)>(k));
void f(float* x) { K g = k; g<<<1, 1>>>(x); }

//// refused: an overload set's name in decltype
__global__ void k(int* x) { x[0] = 1; }
__global__ void k(float* x) { x[0] = 2; }
using K = decltype(k);

//// ok: an overload chosen by a kernel as argument in decltype
__global__ void k(int* x) { x[0] = 1; }
template <class A> float which(void (*)(A*, A*));
template <class A> int which(void (*)(A*));
decltype(which(k)) n = 3;
__global__ void l(int* x) { decltype(which(k)) a = 1; x[0] = a; }

//// ok: an overload chosen by a kernel's pointer
int which(void (*)(int*)); double which(void (*)(float*));
__global__ void k(int* x) { decltype(which(k)) a = 1; x[0] = a; }

//// ok: throw in a constexpr function called by a kernel
#include <stdexcept>
constexpr int f(int a) { return a < 0 ? throw std::logic_error("no") : a; }
__global__ void k(int* x) { x[0] = f(x[1]); }

//// ok: anonymous union in a kernel
__global__ void k(unsigned* x, float f) { union { float v; unsigned u; }; v = f; x[0] = u; }

//// refused: enum class from an int
enum class E { a, b };
__global__ void k(E* e, int n) { e[0] = n; }

//// refused: two using directives with one name
namespace a { __device__ int f() { return 1; } }
namespace b { __device__ int f() { return 2; } }
using namespace a; using namespace b;
__global__ void k(int* x) { x[0] = f(); }

//// refused: functions named y0, j1 and gamma of one's own
__device__ float y0(float x) { return x; }
__device__ float gamma(float x) { return x; }
__global__ void k(float* x) { x[0] = y0(x[1]) + gamma(x[2]); }

//// ok: functions named abs, round and clamp of one's own
__device__ float clamp(float x, float a, float b) { return fminf(fmaxf(x, a), b); }
__device__ int round(int x) { return x; }
__global__ void k(float* x) { x[0] = clamp(x[1], 0, 1) + round(3); }

//// ok: a string into char*
__global__ void k(char* x) { char* s = "abc"; x[0] = s[1]; }

//// refused: continue in a switch outside of a loop
__global__ void k(int* x) { switch (x[0]) { case 1: continue; } }

//// ok: typeof
__global__ void k(int* x) { __typeof__(x[0]) a = 3; typeof(a) b = 4; x[0] = a + b; }

//// ok: a function declared in a kernel
__device__ int f(int a) { return a; }
__global__ void k(int* x) { __device__ int f(int); x[0] = f(1); }

//// refused: _Float16 and __fp16 in a kernel
__global__ void k(float* x) { _Float16 a = x[0]; x[1] = a; }

//// ok: _Bool and complex in a kernel
__global__ void k(float* x) { _Complex float a = x[0]; x[1] = __real__ a; }

//// ok: alignof and offsetof
#include <cstddef>
struct P { char a; double b; };
__global__ void k(int* x) { x[0] = alignof(P) + offsetof(P, b); }

//// refused: extern C overloads
extern "C" __global__ void k(int* x) { x[0] = 1; }
extern "C" __global__ void k(float* x) { x[0] = 1; }

//// refused: #include of a missing header
#include <cuda_is_fun.h>
__global__ void k(int* x) { x[0] = 1; }

//// refused: a constexpr lambda that reads a host table is handed on
constexpr int table[] = {1, 2, 3};
template <class F> __device__ int each(int n, F f) { return f(n); }
__global__ void k(int* x) { constexpr auto f = [](int i) { return table[i]; }; x[0] = each(x[1], f); }

//// refused: a lambda that reads a host table is handed on
constexpr int table[] = {1, 2, 3};
template <class F> __device__ int each(int n, F f) { return f(n); }
__global__ void k(int* x) { auto f = [](int i) { return table[i]; }; x[0] = each(x[1], f); }

//// refused: a lambda that reads a host table in a loop
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x) { auto f = [](int i) { return table[i]; }; for (int i = 0; i < 3; ++i) x[i] = f(i); }

//// refused: a lambda that reads a host table, called at once
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x) { x[0] = [](int i) { return table[i]; }(x[1]); }

//// ok: a lambda that reads a host table, with a template's number
constexpr int table[] = {1, 2, 3};
template <int N> __global__ void k(int* x) { auto f = [](int i) { return table[i]; }; x[0] = f(N); }
void g(int* x) { k<1><<<1, 1>>>(x); }

//// refused: a lambda with captures that reads a host table
constexpr int table[] = {1, 2, 3};
__global__ void k(int* x, int n) { auto f = [n](int i) { return table[i] + n; }; x[0] = f(1); }

//// ok: literals of three kinds
__host__ __device__ constexpr unsigned operator""b(unsigned long long n) { return n; }
__host__ __device__ constexpr float operator""deg(long double d) { return d * 3.14159 / 180; }
__host__ __device__ constexpr int operator""len(const char*, size_t n) { return n; }
__global__ void k(float* x) { x[0] = 90.0deg + 3b + "abc"len; }

//// refused: literal of the host without an underscore
float operator""deg(long double d) { return d; }
__global__ void k(float* x) { x[0] = 90.0deg; }

//// refused: a throw in a constexpr function with a side
__host__ __device__ constexpr int f(int a) { return a < 0 ? throw 1 : a; }
__global__ void k(int* x) { x[0] = f(x[1]); }

//// refused: a throw in a constexpr device function
__device__ constexpr int f(int a) { return a < 0 ? throw 1 : a; }
__global__ void k(int* x) { x[0] = f(x[1]); }

//// refused: a host constructor in a deduced class
template <class T> struct Box { T v; Box(T a) : v(a) {} };
__global__ void k(int* x) { Box b(x[0]); x[1] = b.v; }

//// refused: a host constructor with a deduction guide
template <class T> struct Box { T v; Box(T a) : v(a) {} };
template <class T> Box(T) -> Box<T>;
__global__ void k(int* x) { Box b(x[0]); x[1] = b.v; }

//// ok: a pointer made an int by reinterpret_cast
__global__ void k(int* x) { int y = reinterpret_cast<int>(x); x[0] = y; }

//// ok: a pointer made an unsigned and a short by a cast
__global__ void k(int* x) { x[0] = (unsigned)x + (short)(long)x; x[1] = (short)x; }

//// refused: a pointer made an int by a cast on the host
int f(int* x) { return (int)x; }

//// refused: a pointer made an int by a cast on both sides
__host__ __device__ int f(int* x) { return (int)x; }

//// refused: a pointer made a bool and a float
__global__ void k(int* x) { x[0] = (bool)x; x[1] = (float)x; }

//// ok: an overload of a kernel's name chosen in decltype
__global__ void k(int* x) { x[0] = 1; }
__device__ float k(float a) { return a; }
__global__ void l(float* x) { decltype(k(x[0])) a = 1; x[0] = a; }

//// ok: an overload of a kernel's name chosen in decltype, named
__global__ void k(int* x) { x[0] = 1; }
__host__ __device__ constexpr float k(float a) { return a; }
using T = decltype(k(1.0f));
__global__ void l(float* x) { T a = k(x[1]); x[0] = a; }

//// ok: an overload of a kernel's name as a trailing type
__global__ void step(int* x) { x[0] = 1; }
__device__ float step(float a, int b) { return a * b; }
template <class A> __device__ auto twice(A a) -> decltype(step(a, 2)) { return step(a, 2); }
__global__ void l(float* x) { x[0] = twice(x[1]); }
