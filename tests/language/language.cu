// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// refused: throw in a kernel
__global__ void k(float* x) { if (x[0] < 0) throw 1; }

//// ok: throw in the host function
void f(int n) { if (n < 0) throw 1; }

//// refused: try in a kernel
__global__ void k(float* x) { try { x[0] = 1; } catch (...) { } }

//// refused: throw in a device function that is never called
__device__ void g() { throw 1; }

//// refused: throw in a function of both sides
__host__ __device__ void g(int n) { if (n < 0) throw 1; }
__global__ void k(int* x) { g(x[0]); }

//// refused: throw in a function of both sides that only the host calls
__host__ __device__ void g(int n) { if (n < 0) throw 1; }
void f(int n) { g(n); }

//// ok: goto in a kernel
__global__ void k(float* x) { if (x[0] < 0) goto done; x[0] = 1; done: x[1] = 2; }

//// refused: goto past a declaration
__global__ void k(float* x) { if (x[0] < 0) goto done; int n = 3; x[n] = 1; done: x[1] = 2; }

//// ok: switch
__global__ void k(int* x) { switch (x[0]) { case 0: x[1] = 1; break; case 1: x[1] = 2; default: x[1] = 3; } }

//// refused: switch with the same case twice
__global__ void k(int* x) { switch (x[0]) { case 0: x[1] = 1; break; case 0: x[1] = 2; } }

//// ok: a declaration in a case
__global__ void k(int* x) { switch (x[0]) { case 0: int n = 3; x[1] = n; break; case 1: x[1] = 2; } }

//// ok: a missing return
__device__ int get(int n) { if (n) return 3; }
__global__ void k(int* x) { x[0] = get(x[1]); }

//// ok: no return at all
__device__ int get(int n) { n = 3; }
__global__ void k(int* x) { x[0] = get(x[1]); }

//// ok: a return without value
__device__ int get(int n) { return; }
__global__ void k(int* x) { x[0] = get(x[1]); }

//// refused: a missing semicolon
__global__ void k(int* x) { int i = threadIdx.x x[i] = 1; }

//// refused: a missing semicolon at the end of a line
__global__ void k(int* x) {
    int i = threadIdx.x
    x[i] = 1;
}

//// refused: a missing brace
__global__ void k(int* x) { if (x[0]) { x[1] = 1;

//// refused: a brace too many
__global__ void k(int* x) { x[1] = 1; } }

//// refused: a missing parenthesis
__global__ void k(int* x) { if (x[0] { x[1] = 1; } }

//// refused: a misspelt type
__global__ void k(flaot* x) { x[0] = 1; }

//// refused: a misspelt qualifier
_global_ void k(float* x) { x[0] = 1; }

//// refused: __gloabl__
__gloabl__ void k(float* x) { x[0] = 1; }

//// refused: __device without the second pair of underscores
__device float get() { return 1; }

//// refused: an undeclared variable
__global__ void k(float* x) { x[0] = y; }

//// refused: an unknown header
#include <nothing.h>

//// ok: an assignment in a condition
__global__ void k(int* x, int n) { int i = threadIdx.x; if (i = n) x[i] = 1; }

//// ok: a comparison as a statement
__global__ void k(int* x) { x[0] == 3; }

//// ok: a loop whose step does nothing
__global__ void k(int* x) { for (int i = 0; i < 3; i + 1) x[i] = 1; }

//// ok: an if that does not guard the next line
__global__ void k(int* x, int n) {
    int i = threadIdx.x;
    if (i < n)
        x[i] = 1;
        x[i + 1] = 2;
}

//// ok: a semicolon behind an if
__global__ void k(int* x, int n) { if (threadIdx.x < n); x[threadIdx.x] = 1; }

//// ok: signed and unsigned
__global__ void k(int* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }

//// ok: narrowing in braces, not constant
__global__ void k(int* x, float y) { int i{y}; x[0] = i; }

//// ok: narrowing in braces, a constant that does not fit
__global__ void k(int* x) { int i{1.5}; x[0] = i; }

//// ok: narrowing in braces, a constant that fits
__global__ void k(float* x) { float f{1.5}; unsigned u{3}; x[0] = f + u; }

//// ok: narrowing in braces, int to float
__global__ void k(float* x, int n) { float f{n}; x[0] = f; }

//// ok: narrowing in an array, int to double
__global__ void k(double* x, int n) { double a[2] = {double(n), n}; x[0] = a[1]; }

//// ok: narrowing in a dim3
void f(int n) { dim3 grid{n, n * 2}; dim3 block = {(unsigned)n, 3, 1}; (void)grid; (void)block; }

//// ok: narrowing in a float4, from double variables
__global__ void k(float4* x, double y) { float4 v = {y, y, y, y}; x[0] = v; }

//// ok: narrowing in an aggregate, ints to floats
__global__ void k(float4* x) { float4 v = {1, 2, 3, 4}; x[0] = v; }

//// ok: narrowing a long constant to char
__global__ void k(char* x) { char a[2] = {300, 1}; x[0] = a[0]; }

//// ok: narrowing in a case
__global__ void k(unsigned char* x) { switch (x[0]) { case 300: x[1] = 1; } }

//// ok: narrowing of an int constant to unsigned
__global__ void k(unsigned* x) { unsigned a[1] = {-1}; x[0] = a[0]; }

//// ok: narrowing in the host function, not constant
int f(float y) { int i{y}; return i; }

//// refused: narrowing in the host function, constant
int f() { int i{1.5}; return i; }

//// ok: implicit narrowing
__global__ void k(int* x, double y) { int i = y; float f = y; x[0] = i + f; }

//// refused: an ambiguous overload
__device__ int get(float x) { return 1; }
__device__ int get(long x) { return 2; }
__global__ void k(int* x) { x[0] = get(3); }

//// refused: overloads on host and device
__device__ int get(int x) { return 1; }
__host__ int get(int x) { return 2; }
__global__ void k(int* x) { x[0] = get(3); }

//// refused: overloads on host and both
__host__ __device__ int get(int x) { return 1; }
__host__ int get(int x) { return 2; }

//// refused: a function defined twice
__device__ int get(int x) { return 1; }
__device__ int get(int x) { return 2; }

//// refused: another result with the same parameters
__device__ int get(int x);
__device__ float get(int x) { return 2; }

//// refused: a function without a type
__device__ get(int x) { return 1; }

//// refused: main with void
void main() { }

//// ok: auto
__global__ void k(int* x) { auto i = threadIdx.x; auto& y = x[i]; y = 3; decltype(y) z = y; z = 4; }

//// ok: auto as a parameter of a kernel
__global__ void k(auto* x) { x[0] = 1; }
void f(int* x) { k<<<1, 1>>>(x); }

//// ok: auto as a parameter of a device function
__device__ int twice(auto x) { return 2 * x; }
__global__ void k(int* x) { x[0] = twice(3); }

//// ok: a generic lambda
__global__ void k(int* x) { auto twice = [](auto y) { return 2 * y; }; x[0] = twice(3); }

//// refused: a concept
template <class T> concept Small = sizeof(T) < 8;
template <Small T> __global__ void k(T* x) { x[0] = 1; }

//// refused: requires
template <class T> requires (sizeof(T) < 8) __global__ void k(T* x) { x[0] = 1; }

//// refused: consteval
consteval int three() { return 3; }
__global__ void k(int* x) { x[0] = three(); }

//// refused: constinit
constinit int n = 3;
int f() { return n; }

//// ok: a template lambda
__global__ void k(int* x) { auto twice = []<class T>(T y) { return 2 * y; }; x[0] = twice(3); }

//// ok: likely
__global__ void k(int* x) { if (x[0]) [[likely]] x[1] = 1; }

//// refused: std::span
#include <span>
void f(int* x) { std::span<int> s(x, 3); }

//// refused: std::bit_cast
#include <bit>
__global__ void k(float* x) { x[0] = std::bit_cast<float>(3); }

//// ok: #include <bit> and nothing else
#include <bit>

//// refused: #include <concepts>
#include <concepts>
template <std::integral T> T twice(T x) { return 2 * x; }

//// refused: std::lerp
#include <cmath>
float f(float a) { return std::lerp(a, 2.0f, 0.5f); }

//// ok: one's own lerp
#include <cmath>
__device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
__global__ void k(float* x) { x[0] = lerp(x[0], x[1], 0.5f); }

//// refused: midpoint
#include <numeric>
__global__ void k(int* x) { x[0] = std::midpoint(1, 3); }

//// refused: numbers::pi
#include <numbers>
__global__ void k(float* x) { x[0] = std::numbers::pi_v<float>; }

//// ok: a range for with an initialiser
__global__ void k(int* x) { int a[3] = {1, 2, 3}; for (int s = 0; int y : a) x[s] += y; }

//// ok: a range for
__global__ void k(int* x) { int a[3] = {1, 2, 3}; for (int y : a) x[0] += y; }

//// ok: an if with an initialiser
__global__ void k(int* x) { if (int i = threadIdx.x; i < 3) x[i] = 1; }

//// ok: if constexpr
template <int N> __global__ void k(int* x) { if constexpr (N > 3) x[0] = 1; else x[0] = 2; }
void f(int* x) { k<3><<<1, 1>>>(x); }

//// ok: structured bindings
struct P { int a, b; };
__global__ void k(int* x) { P p{1, 2}; auto [a, b] = p; x[0] = a + b; }

//// ok: a fold expression
template <class... T> __device__ float sum(T... x) { return (x + ...); }
__global__ void k(float* x) { x[0] = sum(1.0f, 2.0f, 3.0f); }

//// ok: class template argument deduction
template <class T> struct Pair { T a, b; __device__ Pair(T x, T y) : a(x), b(y) {} };
__global__ void k(int* x) { Pair p(1, 2); x[0] = p.a; }

//// refused: a template that is not instantiated and wrong
template <class T> __global__ void k(T* x) { x[0] = nothing_like_this; }

//// ok: a template that is not instantiated and wrong in a dependent way
template <class T> __global__ void k(T* x) { x[0] = T::nothing(); }

//// refused: a template instantiated with a wrong type
template <class T> __global__ void k(T* x) { x[0] = x[1] % 2; }
void f(float* x) { k<<<1, 1>>>(x); }

//// ok: a template that calls a host function and is not instantiated
float once(float x) { return x; }
template <class T> __global__ void k(T* x) { x[0] = once(x[1]); }

//// refused: a template that calls a host function and is instantiated
float once(float x) { return x; }
template <class T> __global__ void k(T* x) { x[0] = once(x[1]); }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: a template kernel without its arguments
template <int N> __global__ void k(float* x) { x[0] = N; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: a template kernel with a run-time argument
template <int N> __global__ void k(float* x) { x[0] = N; }
void f(float* x, int n) { k<n><<<1, 1>>>(x); }

//// ok: a template kernel with arguments
template <int N, class T> __global__ void k(T* x) { x[0] = N; }
void f(float* x) { k<3><<<1, 1>>>(x); k<4, float><<<1, 1>>>(x); }

//// refused: a template kernel with a local type
template <class T> __global__ void k(T* x) { }
void f() { struct S { int n; }; S* s = nullptr; k<<<1, 1>>>(s); }

//// ok: a template kernel of an enum of an unnamed namespace
namespace { enum class Kind { A, B }; }
template <Kind K> __global__ void k(int* x) { x[0] = (int)K; }
void f(int* x) { k<Kind::A><<<1, 1>>>(x); }

//// ok: a specialisation
template <class T> __device__ T zero() { return T(0); }
template <> __device__ float zero<float>() { return 0.0f; }
__global__ void k(float* x) { x[0] = zero<float>() + zero<int>(); }

//// ok: a specialisation without __device__
template <class T> __device__ T zero() { return T(0); }
template <> float zero<float>() { return 0.0f; }
__global__ void k(float* x) { x[0] = zero<float>(); }

//// ok: an explicit instantiation
template <class T> __global__ void k(T* x) { x[0] = 1; }
template __global__ void k<float>(float*);

//// ok: a variable template
template <class T> constexpr T pi = T(3.14159265358979);
__global__ void k(float* x) { x[0] = pi<float>; }

//// refused: a static assertion that fails
static_assert(sizeof(int) == 5, "no");

//// ok: a static assertion that holds
static_assert(sizeof(int) == 4);

//// ok: unroll
__global__ void k(int* x) {
#pragma unroll
    for (int i = 0; i < 3; ++i) x[i] = 1;
#pragma unroll 4
    for (int i = 0; i < 3; ++i) x[i] = 1;
}

//// ok: unroll by a constant
template <int N> __global__ void k(int* x) {
#pragma unroll N
    for (int i = 0; i < 3; ++i) x[i] = 1;
}
void f(int* x) { k<3><<<1, 1>>>(x); }

//// ok: an unknown pragma
#pragma nothing like this
__global__ void k(int* x) { x[0] = 1; }

//// refused: an error directive
#error no

//// ok: __forceinline__ and __noinline__
__device__ __forceinline__ int once(int x) { return x; }
__noinline__ __device__ int twice(int x) { return 2 * x; }
static __device__ __forceinline__ int thrice(int x) { return 3 * x; }
__forceinline__ __host__ __device__ int none() { return 0; }
__global__ void k(int* x) { x[0] = once(1) + twice(2) + thrice(3) + none(); }

//// ok: an attribute
[[nodiscard]] __device__ int get() { return 3; }
[[maybe_unused]] static __device__ int other() { return 3; }
__global__ void k(int* x) { get(); x[0] = get(); }

//// refused: a string as a number
__global__ void k(int* x) { x[0] = "abc"; }

//// refused: a pointer as a number
__global__ void k(int* x) { x[0] = x; }

//// refused: a number as a pointer
__global__ void k(int* x) { x = 5; }

//// refused: a void pointer without a cast
__global__ void k(void* p) { float* x = p; x[0] = 1; }

//// refused: malloc without a cast
__global__ void k() { float* x = malloc(4); x[0] = 1; }

//// refused: a float as an index
__global__ void k(float* x, float i) { x[i] = 1; }

//// refused: modulo of floats
__global__ void k(float* x) { x[0] = x[1] % 2; }

//// refused: ^ of floats
__global__ void k(float* x) { x[0] = x[1] ^ 2; }

//// ok: a comma declaration
__global__ void k(float* x) { int i = 0, j = 1; x[i] = j; }

//// ok: a comma index
__global__ void k(float* x) { x[1, 2] = 3; }

//// refused: two indices on a pointer
__global__ void k(float* x) { x[1][2] = 3; }

//// refused: a nested function
__global__ void k(float* x) { float get() { return 1; } x[0] = get(); }

//// refused: a nested kernel
void f() { __global__ void k() { } }

//// ok: a division by zero
__global__ void k(int* x) { x[0] = 1 / 0; }

//// ok: a shift by too much
__global__ void k(int* x) { x[0] = 1 << 40; }

//// ok: an overflowing constant
__global__ void k(int* x) { int n = 3000000000; x[0] = n; }

//// refused: a constant expression that overflows
constexpr int n = 2147483647 + 1;

//// refused: uninitialised constexpr
__global__ void k(int* x) { constexpr int n; x[0] = n; }

//// refused: constexpr of a run-time value
__global__ void k(int* x) { constexpr int n = threadIdx.x; x[0] = n; }

//// ok: an inline assembly
__global__ void k(int* x) { int r; asm("mov.u32 %0, %laneid;" : "=r"(r)); x[0] = r; }

//// ok: long double in a kernel
__global__ void k(float* x) { long double y = x[0]; x[0] = y; }

//// ok: __int128
__global__ void k(float* x) { __int128 y = x[0]; x[0] = y; }

//// ok: a digit separator and a binary literal
__global__ void k(int* x) { x[0] = 1'000'000 + 0b101; }

//// refused: an octal literal that is none
__global__ void k(int* x) { x[0] = 08; }

//// ok: a char of several letters
__global__ void k(int* x) { x[0] = 'ab'; }

//// ok: NULL
__global__ void k(int* x) { int* p = NULL; if (p == NULL && x != nullptr) x[0] = 1; }

//// ok: and, or, not
__global__ void k(int* x) { if (x[0] and not x[1] or x[2]) x[3] = 1; }

//// refused: true and false
__global__ void k(bool* x) { x[0] = true; x[1] = false; x[2] = True; }

//// refused: a Python comment
# adds
__global__ void k(int* x) { x[0] = 1; }

//// refused: a Python power
__global__ void k(int* x) { x[0] = x[1] ** 2; }

//// refused: a Python for
__global__ void k(int* x) { for i in range(3): x[i] = 1; }

//// refused: an array is returned
__device__ float[3] get() { return {1, 2, 3}; }

//// refused: an array is assigned
__global__ void k() { float a[3], b[3] = {1, 2, 3}; a = b; }

//// ok: a local's address is returned
__device__ int* get() { int n = 3; return &n; }
__global__ void k(int* x) { x[0] = *get(); }

//// refused: a K&R function
__device__ int get(x) int x; { return x; }

//// refused: a variable named new
__global__ void k(int* x) { int new = 3; x[0] = new; }

//// ok: a parameter without a name
__global__ void k(int* x, int) { x[0] = 1; }

//// refused: a parameter named twice
__global__ void k(int* x, int x) { }

//// refused: a default argument before one without
__device__ int get(int a = 3, int b) { return a; }

//// refused: break outside of a loop
__global__ void k(int* x) { if (x[0]) break; }

//// refused: else without if
__global__ void k(int* x) { x[0] = 1; else x[0] = 2; }

//// refused: a variable in a condition's scope used outside
__global__ void k(int* x) { for (int i = 0; i < 3; ++i) x[i] = 1; x[i] = 2; }

//// ok: a bool compared with a chain
__global__ void k(int* x, int n) { int i = threadIdx.x; if (0 <= i < n) x[i] = 1; }

//// ok: bitwise and in a condition
__global__ void k(int* x, int n) { int i = threadIdx.x; if (i < n & x[i] == 3) x[i] = 1; }

//// ok: an unused result
__global__ void k(int* x) { x[0] + 1; threadIdx.x; }

//// ok: a self assignment
__global__ void k(int* x) { int i = i; x[i] = 1; }

//// ok: printf with a wrong format
#include <cstdio>
__global__ void k(float* x) { printf("%d\n", x[0]); }

//// ok: __CUDA_ARCH__
__device__ int get() {
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__;
#else
    return 0;
#endif
}
__global__ void k(int* x) { x[0] = get(); }

//// ok: a function-like macro
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) return; } while (0)
#define INDEX(i, j) ((i) * n + (j))
__global__ void k(float* x, int n) { x[INDEX(1, 2)] = 1; }
void f(float* x) { CHECK(cudaMemset(x, 0, 4)); }

//// ok: using namespace std
#include <cmath>
#include <algorithm>
using namespace std;
__global__ void k(float* x) { x[0] = max(x[0], 1.0f) + sqrt(x[1]) + abs(x[2]) + min(3, 4) + exp(x[3]); }

//// ok: using namespace std and one's own max
#include <algorithm>
using namespace std;
__device__ float max(float a, float b, float c) { return max(max(a, b), c); }
__global__ void k(float* x) { x[0] = max(x[0], x[1], x[2]); }

//// refused: one's own min with the same parameters
__device__ float min(float a, float b) { return a < b ? a : b; }
__global__ void k(float* x) { x[0] = min(x[0], x[1]); }

//// ok: one's own atomicMax of floats
__device__ float atomicMax(float* x, float v) { int old = __float_as_int(*x); while (v > __int_as_float(old)) { int was = old; old = atomicCAS((int*)x, was, __float_as_int(v)); if (old == was) break; } return __int_as_float(old); }
__global__ void k(float* x) { atomicMax(x, 3.0f); }

//// refused: one's own atomicAdd of doubles
__device__ double atomicAdd(double* x, double v) { return v; }
__global__ void k(double* x) { atomicAdd(x, 3.0); }

//// ok: one's own float2 operators
__host__ __device__ inline float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
__global__ void k(float2* x) { x[0] = x[1] * 3; }

//// ok: va_arg in a device function
#include <cstdarg>
__device__ float sum(int n, ...) {
    va_list a; va_start(a, n); float s = 0; for (int i = 0; i < n; ++i) s += va_arg(a, double); va_end(a); return s;
}
__global__ void k(float* x) { x[0] = sum(2, 1.0, 2.0); }
