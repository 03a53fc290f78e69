// Values in braces that may not fit, with the verdict of nvcc (see snippets.py).

//// ok: host passes braces
struct P { int a; float b; };
__global__ void k(P p, int n) {}
void f(int n) { k<<<1, 1>>>({1, 2.f}, 3); k<<<1, 1>>>({n, 2.5f}, {3}); k<<<1, 1>>>(P{n, 1}, n); }

//// refused: host passes braces with narrowing
struct P { int a; float b; };
__global__ void k(P p, int n) {}
void f(int n, double d) { k<<<1, 1>>>({n, d}, 3); }

//// refused: host passes braces with size_t
struct P { const float* a; int n; };
__global__ void k(P p) {}
void f(const float* x, size_t n) { k<<<1, 1>>>(P{x, n}); }

//// ok: host variable of braces with size_t
struct P { const float* a; int n; };
__global__ void k(P p) {}
void f(const float* x, size_t n) { P p{x, n}; k<<<1, 1>>>(p); P q = {x, n * 2}; k<<<1, 1>>>(q); auto r = P{x, n}; k<<<1, 1>>>(r); }

//// refused: kernel stores braces of ints in a float2
__global__ void k(float2* x, int n) { x[0] = {n, n}; }

//// refused: kernel stores float2 braces of ints
__global__ void k(float2* x, int n) { x[0] = float2{n, n}; }

//// ok: kernel stores make_float2 of ints
__global__ void k(float2* x, int n) { x[0] = make_float2(n, n); float2 y = {n, n}; x[1] = y; }

//// refused: kernel stores braces of threadIdx in an int2
__global__ void k(int2* x) { x[0] = {threadIdx.x, threadIdx.y}; }

//// ok: kernel stores braces of threadIdx in a uint2
__global__ void k(uint2* x) { x[0] = {threadIdx.x, threadIdx.y}; int2 y{(int)threadIdx.x, 1}; x[1].x = y.x; }

//// refused: kernel stores braces of doubles in a float4
__global__ void k(float4* x, float a) { x[0] = {a * 2.0, 1, 2, 3}; }

//// ok: kernel stores braces of constants in a float4
__global__ void k(float4* x) { x[0] = {0.1, 1, 2, 3}; x[1] = {1.5f, 'a', 2u, 3}; }

//// refused: kernel stores braces of a constant that does not fit
__global__ void k(uchar4* x) { x[0] = {256, 1, 2, 3}; }

//// ok: device function returns braces of doubles
__device__ float2 f(double a) { return {a, a}; }
__global__ void k(float2* x) { x[0] = f(1); }

//// refused: device function returns float2 of doubles
__device__ float2 f(double a) { return float2{a, a}; }
__global__ void k(float2* x) { x[0] = f(1); }

//// refused: device function returns a braced scalar
__device__ float f(double a) { return {a}; }
__global__ void k(float* x) { x[0] = f(1); }

//// refused: device function is given braces of ints
__device__ float f(float2 a) { return a.x; }
__global__ void k(float* x, int n) { x[0] = f({n, 1}); }

//// ok: device function is given braces of floats
__device__ float f(float2 a) { return a.x; }
__global__ void k(float* x, int n) { x[0] = f({x[1], 1}); float y = f({n, 1}); x[1] = y; }

//// ok: struct member starts with braces of a long
struct P { int n; float f; };
struct S { P p; int v; __device__ S(long n) : p{n, 1}, v{n} {} };
__global__ void k(int* x, long n) { S s(n); x[0] = s.v; }

//// refused: template kernel stores braces of its type
template <class T> __global__ void k(float2* x, T n) { x[0] = {n, n}; }
void f(float2* x) { k<<<1, 1>>>(x, 3); }

//// refused: template kernel stores braces of ints
template <class T> __global__ void k(float2* x, T n, int m) { x[0] = {m, m}; }
void f(float2* x) { k<<<1, 1>>>(x, 3, 4); }

//// refused: host vector of size_t in braces
#include <vector>
void f(size_t n) { std::vector<int> v{n, n}; }

//// ok: host vector of structs in braces
#include <vector>
struct P { int n; float f; };
void f(size_t n, double d) { std::vector<P> v{{n, d}, P{n, 1}}; }

//// refused: host push_back of braces
#include <vector>
struct P { int n; float f; };
void f(int n, double d) { std::vector<P> v; v.push_back(P{n, d}); }

//// ok: dim3 of size_t in braces
__global__ void k() {}
void f(size_t n) { dim3 g{n, 1}; k<<<g, dim3{n}>>>(); k<<<{n, 1}, 32>>>(); g = {n, 1}; }

//// refused: narrowing long to int return braces
__device__ int get(long n) { return {n}; }
__global__ void k(int* x) { x[0] = get(3); }

//// refused: narrowing in a struct on the host
struct P { int n; float f; };
void f(size_t n, double d, P* p) { p[0] = P{n, d}; }

//// refused: kernel stores braces in a scalar
__global__ void k(float* x, double d) { x[0] = {d}; }

//// ok: kernel stores a float made of a double in braces
__global__ void k(float* x, double d) { x[0] = float{d}; float y{d}; x[1] = y; }

//// ok: device function returns braces in braces
struct P { int2 a; float b; };
__device__ P f(size_t n) { return {{n, n}, n}; }
__global__ void k(P* p) { p[0] = f(1); }

//// refused: device function returns a whole in braces
struct P { int2 a; float b; };
__device__ P f(size_t n) { return {int2{n, n}, n}; }
__global__ void k(P* p) { p[0] = f(1); }

//// ok: constexpr array of structs looped
struct S { int a; float b; };
__global__ void k(float* x) { constexpr S t[] = {{1, 2.f}, {3, 4}}; for (const S& s : t) x[s.a] = s.b; }

//// ok: struct returned in braces with float and int
struct R { float v; int i; };
__device__ R f(float v, unsigned i) { return {v, i}; }
__global__ void k(R* r) { r[0] = f(1, threadIdx.x); }

//// refused: struct made with threadIdx and passed on
struct R { float v; int i; };
__device__ float g(R r) { return r.v; }
__global__ void k(float* x) { x[0] = g({1.f, threadIdx.x}); }

//// ok: struct made with a cast threadIdx and passed on
struct R { float v; int i; };
__device__ float g(R r) { return r.v; }
__global__ void k(float* x) { x[0] = g({1.f, (int)threadIdx.x}); float y = g({1.f, threadIdx.x}); x[1] = y; }

//// refused: dim3 indices in int3 argument
__device__ int at(int3 p) { return p.x + p.y; }
__global__ void k(int* x) { x[0] = at({threadIdx.x, threadIdx.y, threadIdx.z}); }

//// ok: dim3 indices in make_int3 argument
__device__ int at(int3 p) { return p.x + p.y; }
__global__ void k(int* x) { x[0] = at(make_int3(threadIdx.x, threadIdx.y, threadIdx.z)); x[1] = at({1, 2, 3}); }

//// ok: array of float4 filled in braces
__global__ void k(float4* x, int n) { float4 a[2] = {{1, 2, 3, 4}, {(float)n, 1, 2, 3}}; float4 b[2] = {{n, n, n, n}}; x[0] = a[1]; x[1] = b[0]; }

//// refused: struct member assigned in braces
struct P { float2 v; };
__global__ void k(P* p, int n) { p->v = {n, 1}; }

//// ok: struct member assigned in braces of floats
struct P { float2 v; };
__global__ void k(P* p, float n) { p->v = {n, 1}; p[1] = {{n, n}}; p[2] = P{{n, 2}}; }

//// ok: shared struct assigned in braces
__global__ void k(float* x, int n) { __shared__ float2 s[32]; s[threadIdx.x] = {x[0], n * 1.0f}; x[1] = s[0].x; }

//// refused: shared struct assigned in braces of ints
__global__ void k(float* x, int n) { __shared__ float2 s[32]; s[threadIdx.x] = {x[0], n}; x[1] = s[0].x; }

//// ok: lambda returns braces
__global__ void k(float2* x, int n) { auto f = [](int i) -> float2 { return {i, i}; }; x[0] = f(n); }

//// refused: lambda returns float2 of ints
__global__ void k(float2* x, int n) { auto f = [](int i) { return float2{i, i}; }; x[0] = f(n); }

//// refused: ternary of braces made
__global__ void k(float2* x, int n) { x[0] = n > 0 ? float2{n, 1} : x[1]; }

//// ok: ternary of floats made
__global__ void k(float2* x, float n) { x[0] = n > 0 ? float2{n, 1} : x[1]; }

//// refused: compound assignment with braces made
__device__ float2& operator+=(float2& a, float2 b) { a.x += b.x; return a; }
__global__ void k(float2* x, int n) { x[0] += float2{n, 1}; }

//// ok: compound assignment with braces
__device__ float2& operator+=(float2& a, float2 b) { a.x += b.x; return a; }
__global__ void k(float2* x, float n) { x[0] += {n, 1}; x[1] += float2{n, 0.5}; }

//// refused: compound assignment with braces of ints
__device__ float2& operator+=(float2& a, float2 b) { a.x += b.x; return a; }
__global__ void k(float2* x, int n) { x[0] += {n, 1}; }

//// refused: new of a struct in braces of ints
__global__ void k(float2** x, int n) { x[0] = new float2{n, n}; }

//// refused: uchar4 from ints in braces
__global__ void k(uchar4* x, int r, int g) { x[0] = {r, g, 0, 255}; }

//// ok: uchar4 from ints by make
__global__ void k(uchar4* x, int r, int g) { x[0] = make_uchar4(r, g, 0, 255); uchar4 c{r, g}; x[1] = c; x[2] = {(unsigned char)r, 1, 2, 3}; }

//// ok: half2 in braces of floats
#include <cuda_fp16.h>
__global__ void k(half2* x, float a) { x[0] = {a, a}; half2 h{a, 1.0f}; x[1] = h; }

//// ok: half2 in braces of halves
#include <cuda_fp16.h>
__global__ void k(half2* x, half a) { x[0] = {a, a}; x[1] = half2{a, a}; }

//// ok: float2 in braces of halves
#include <cuda_fp16.h>
__global__ void k(float2* x, half a) { x[0] = {a, a}; }

//// ok: int in braces of a half
#include <cuda_fp16.h>
__global__ void k(int2* x, half a) { x[0] = {a, a}; }

//// ok: struct of pointers and size_t from a member function
struct View { float* p; size_t n; __device__ View sub(int a, int b) const { return {p + a, b - a}; } };
__global__ void k(View v) { v.sub(1, 2).p[0] = 1; }

//// refused: struct of pointers and size_t from a member function made
struct View { float* p; size_t n; __device__ View sub(int a, int b) const { return View{p + a, b - a}; } };
__global__ void k(View v) { v.sub(1, 2).p[0] = 1; }

//// ok: enum in braces of a struct
enum Op { add };
struct P { int a; Op o; };
__global__ void k(P* p, Op o) { p[0] = {o, o}; p[1] = {1, add}; }

//// refused: bool in braces of a struct from int
struct P { bool b; int a; };
__global__ void k(P* p, int n) { p[0] = {n, 1}; }

//// ok: bool in braces of a struct from a comparison
struct P { bool b; float a; };
__global__ void k(P* p, int n) { p[0] = {n > 1, 1}; p[1] = {p != nullptr, 2}; }

//// ok: bit field in braces
struct B { unsigned a : 4, b : 12; };
__global__ void k(B* p, unsigned n) { p[0] = {n, 3}; B q{n, n}; p[1] = q; }

//// refused: bit field in braces of ints
struct B { unsigned a : 4, b : 12; };
__global__ void k(B* p, int n) { p[0] = {n, 3}; }

//// ok: elements named by their index with others left out
struct P { int x, y; };
__device__ int g[4] = {[2] = 1};
__constant__ int c[5] = {[1] = 7, 2, [4] = 9};
__global__ void k(int* p) {
    P a[3] = {[1] = {1, 2}, {3, 4}};
    int b[2][2] = {[1] = {[1] = 5}};
    constexpr int w[4] = {[1] = 1, [3] = 2};
    p[0] = a[p[1]].x + b[1][p[1]] + w[p[2]] + g[p[2]] + c[p[3]];
}
