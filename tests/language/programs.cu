// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: a grid-stride loop
__global__ void k(float* x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] *= 2; }
void f(float* x, int n) { k<<<(n + 255) / 256, 256>>>(x, n); }

//// ok: a warp sum as a device template
template <typename T> __device__ __forceinline__ T warp_sum(T v) { for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d); return v; }
__global__ void k(float* x) { x[0] = warp_sum(x[threadIdx.x]); }

//// ok: a policy class with static device functions
struct Plus { static __device__ float apply(float a, float b) { return a + b; } static constexpr float identity = 0; };
template <class Op> __global__ void k(float* x) { float v = Op::identity; v = Op::apply(v, x[0]); x[0] = v; }
void f(float* x) { k<Plus><<<1, 1>>>(x); }

//// refused: a policy class whose function lacks __device__
struct Plus { static float apply(float a, float b) { return a + b; } };
template <class Op> __global__ void k(float* x) { x[0] = Op::apply(x[0], x[1]); }
void f(float* x) { k<Plus><<<1, 1>>>(x); }

//// ok: a function pointer as a template argument
__device__ float twice(float x) { return 2 * x; }
template <float (*F)(float)> __global__ void k(float* x) { x[0] = F(x[0]); }
void f(float* x) { k<twice><<<1, 1>>>(x); }

//// refused: a host function as a template argument
float twice(float x) { return 2 * x; }
template <float (*F)(float)> __global__ void k(float* x) { x[0] = F(x[0]); }
void f(float* x) { k<twice><<<1, 1>>>(x); }

//// ok: a global const int in a launch configuration and in the kernel
static const int kThreads = 256;
__global__ void k(float* x) { __shared__ float s[kThreads]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[0] = s[kThreads - 1]; }
void f(float* x) { k<<<1, kThreads>>>(x); }

//// ok: std::vector of host sizes and a copy
#include <vector>
__global__ void k(float* x) { x[0] = 1; }
void f() { std::vector<float> h(10, 1.0f); float* d = nullptr; cudaMalloc(&d, h.size() * sizeof(float)); cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice); k<<<1, 1>>>(d); cudaFree(d); }

//// ok: std::unique_ptr in the host function
#include <memory>
void f() { auto p = std::make_unique<float[]>(3); p[0] = 1; }

//// ok: std::thread and std::mutex in the host function
#include <mutex>
#include <thread>
std::mutex m;
void f() { std::thread t([] { std::lock_guard<std::mutex> l(m); }); t.join(); }

//// ok: std::chrono in the host function
#include <chrono>
double f() { auto t = std::chrono::steady_clock::now(); return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count(); }

//// ok: a map of kernels
#include <map>
#include <string>
__global__ void k(float* x) { x[0] = 1; }
std::map<std::string, void (*)(float*)> kernels = {{"k", k}};
void f(float* x) { kernels["k"]<<<1, 1>>>(x); }

//// ok: a host lambda that launches
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { auto go = [&](int n) { k<<<n, 32>>>(x); }; go(3); }

//// ok: a template launcher with a switch over sizes
template <int N> __global__ void k(float* x) { x[0] = N; }
template <int N> void launch(float* x) { k<N><<<1, N>>>(x); }
void f(float* x, int n) { switch (n) { case 32: launch<32>(x); break; default: launch<64>(x); } }

//// ok: a device function with a default argument
__device__ float scale(float x, float by = 2) { return x * by; }
__global__ void k(float* x) { x[0] = scale(x[0]) + scale(x[1], 3); }

//// ok: a device function that takes a lambda
template <class F> __device__ void each(int n, F f) { for (int i = 0; i < n; ++i) f(i); }
__global__ void k(float* x) { each(3, [&](int i) { x[i] = i; }); }

//// ok: a lambda that calls __syncthreads
__global__ void k(float* x) { auto wait = [] { __syncthreads(); }; wait(); x[0] = 1; }

//// refused: a lambda with __syncthreads in a host function
void f() { auto wait = [] { __syncthreads(); }; wait(); }

//// ok: a recursive lambda in a kernel
__global__ void k(int* x) { auto f = [](auto self, int n) -> int { return n < 2 ? 1 : n * self(self, n - 1); }; x[0] = f(f, 5); }

//// ok: a member array of a struct parameter
struct Args { float* p[4]; int n; };
__global__ void k(Args a) { a.p[1][0] = a.n; }
void f(float* x) { Args a{}; a.p[1] = x; k<<<1, 1>>>(a); }

//// ok: const Args& as parameter of a device function
struct Args { float* p; int n; };
__device__ int get(const Args& a) { return a.n; }
__global__ void k(Args a) { a.p[0] = get(a); }

//// ok: reinterpret_cast to float4
__global__ void k(const float* x, float* y) { float4 v = reinterpret_cast<const float4*>(x)[threadIdx.x]; reinterpret_cast<float4*>(y)[threadIdx.x] = v; }

//// refused: reinterpret_cast that drops const
__global__ void k(const float* x) { float4* v = reinterpret_cast<float4*>(x); v[0].x = 1; }

//// ok: a C cast that drops const
__global__ void k(const float* x) { float4* v = (float4*)x; v[0].x = 1; }

//// ok: an initialised array of structs in a kernel
struct P { int a; float b; };
__global__ void k(float* x) { P p[2] = {{1, 2.0f}, {3, 4.0f}}; x[0] = p[1].b; }

//// ok: union of float4 and floats
__global__ void k(float4* x) { union { float4 v; float f[4]; } u; u.v = x[0]; u.f[1] = 2; x[0] = u.v; }

//// ok: a while with a comma
__global__ void k(int* x) { int i = 0, j = 3; while (i++, j-- > 0) x[i] = j; }

//// ok: a label that is not used
__global__ void k(int* x) { again: x[0] = 1; }

//// ok: an atomic on shared memory
__global__ void k(int* x) { __shared__ int bins[32]; bins[threadIdx.x] = 0; __syncthreads(); atomicAdd(&bins[x[threadIdx.x]], 1); __syncthreads(); atomicAdd(x, bins[0]); }

//// ok: atomicAdd of half
#include <cuda_fp16.h>
__global__ void k(half* x) { atomicAdd(x, __float2half(1.0f)); }

//// ok: atomicAdd_block
__global__ void k(int* x) { atomicAdd_block(x, 1); atomicMax_system(x, 2); }

//// refused: unsigned char atomics
__global__ void k(unsigned char* x) { atomicAdd(x, 1); }

//// refused: a float index from division
__global__ void k(float* x, int n) { x[n / 2.0] = 1; }

//// refused: half of a function's braces
__global__ void k(float* x) { if (x[0] > 0) x[0] = 1; } else x[0] = 2; }

//// ok: sizeof an array of the host
int table[4];
__global__ void k(int* x) { x[0] = sizeof(table) / sizeof(table[0]); }

//// ok: decltype of a host variable
int table;
__global__ void k(int* x) { decltype(table) t = 3; x[0] = t; }

//// ok: a const host array in sizeof of a template
const int table[3] = {1, 2, 3};
template <int N> __global__ void k(int* x) { x[0] = N; }
void f(int* x) { k<sizeof(table) / 4><<<1, 1>>>(x); }

//// ok: a host enum class in a switch of a kernel
enum class Op { Add, Mul };
__global__ void k(float* x, Op op) { switch (op) { case Op::Add: x[0] += 1; break; case Op::Mul: x[0] *= 2; break; } }

//// ok: a static method of the host in a class used by a kernel
struct Shape { int n; static Shape of(int n) { return {n}; } __device__ int get() const { return n; } };
__global__ void k(int* x, Shape s) { x[0] = s.get(); }
void f(int* x) { k<<<1, 1>>>(x, Shape::of(3)); }

//// ok: an operator of the host for two kernels' types
struct V { float x; V operator+(V o) const { return {x + o.x}; } };
__global__ void k(V* x) { x[0] = x[1]; }
V f(V a, V b) { return a + b; }

//// refused: an operator[] without __device__
struct View { float* p; float& operator[](int i) { return p[i]; } };
__global__ void k(View v) { v[0] = 1; }

//// ok: an operator[] with __device__
struct View { float* p; __host__ __device__ float& operator[](int i) const { return p[i]; } };
__global__ void k(View v) { v[0] = 1; }
void f(float* x) { View v{x}; k<<<1, 1>>>(v); }

//// ok: a namespace alias and a using declaration
namespace a { namespace b { __device__ float one() { return 1; } } }
namespace c = a::b;
using a::b::one;
__global__ void k(float* x) { x[0] = c::one() + one(); }

//// ok: dim3 arithmetic
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, int n) { dim3 block(16, 16); dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y); k<<<grid, block>>>(x); }

//// ok: dim3 from a product of floats
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, float n) { dim3 grid(n / 16, n / 16); k<<<grid, 16>>>(x); }

//// ok: dim3 = with a tuple
void f(int n) { dim3 grid = (n, n); (void)grid; }

//// refused: dim3 multiplied
void f() { dim3 a(2), b(3); dim3 c = a * b; }

//// ok: threadIdx in a default argument
__device__ int get(int i = threadIdx.x) { return i; }
__global__ void k(int* x) { x[0] = get(); }

//// refused: cudaStreamSynchronize on the device
__global__ void k(cudaStream_t s) { cudaStreamSynchronize(s); }

//// ok: fminf, fmaxf, isnan on the host
#include <cmath>
float f(float a) { return fminf(a, 1) + fmaxf(a, 2) + (std::isnan(a) ? 1 : 0) + sqrtf(a) + max(a, 2.0f); }

//// ok: a class with a virtual destructor handed to a kernel
struct A { virtual ~A() {} int n; };
__global__ void k(A a) { }

//// ok: a const member variable
struct S { const int n; };
__global__ void k(int* x, S s) { x[0] = s.n; }
void f(int* x) { k<<<1, 1>>>(x, S{3}); }

//// ok: a reference member
struct S { int& n; };
__global__ void k(int* x) { int m = 3; S s{m}; s.n = 4; x[0] = m; }

//// ok: alignas on a struct
struct alignas(16) S { float a, b, c, d; };
struct __align__(8) T { float a, b; };
__global__ void k(S* s, T* t) { s[0] = s[1]; t[0] = t[1]; }

//// ok: volatile shared and warp-synchronous code
__device__ void reduce(volatile float* s, int t) { s[t] += s[t + 32]; s[t] += s[t + 16]; }
__global__ void k(float* x) { __shared__ float s[64]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); if (threadIdx.x < 32) reduce(s, threadIdx.x); x[0] = s[0]; }

//// refused: printf of a host variable
#include <cstdio>
int n = 3;
__global__ void k() { printf("%d\n", n); }

//// ok: a C++ comment that continues a line
__global__ void k(float* x) { // one \
    nothing at all
    x[0] = 1; }

//// ok: a macro that hides __device__
#define DEV __device__ __forceinline__
DEV float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[0]); }

//// ok: a macro that hides a launch
#define LAUNCH(k, n, ...) k<<<((n) + 255) / 256, 256>>>(__VA_ARGS__)
__global__ void add(float* x, int n) { x[0] = n; }
void f(float* x, int n) { LAUNCH(add, n, x, n); }

//// refused: spmv csr made in place of size_t
struct Csr { const int* rows; const float* vals; int n; };
__global__ void spmv(Csr a, float* y) { y[0] = a.n; }
#include <vector>
void f(std::vector<int>& r, const float* v, float* y) { spmv<<<1, 32>>>(Csr{r.data(), v, r.size() - 1}, y); }

//// ok: spmv csr made in place of int
struct Csr { const int* rows; const float* vals; int n; };
__global__ void spmv(Csr a, float* y) { y[0] = a.n; }
#include <vector>
void f(std::vector<int>& r, const float* v, float* y) { spmv<<<1, 32>>>(Csr{r.data(), v, (int)r.size() - 1}, y); spmv<<<1, 32>>>({r.data(), v, int(r.size())}, y); }

//// ok: argmax with a pair struct
struct Best { float v; int i; };
__device__ Best better(Best a, Best b) { return a.v > b.v || (a.v == b.v && a.i < b.i) ? a : b; }
__global__ void argmax(const float* x, int n, int* o) { Best b{-INFINITY, -1}; for (int i = threadIdx.x; i < n; i += blockDim.x) b = better(b, {x[i], i}); for (int m = 16; m; m >>= 1) b = better(b, Best{__shfl_xor_sync(~0u, b.v, m), __shfl_xor_sync(~0u, b.i, m)}); o[0] = b.i; }

//// refused: argmax with unsigned index
struct Best { float v; int i; };
__device__ Best better(Best a, Best b) { return a.v > b.v ? a : b; }
__global__ void argmax(const float* x, int* o) { Best b{x[0], threadIdx.x}; b = better(b, {x[1], threadIdx.x}); o[0] = b.i; }

//// refused: rope in double by braces
__global__ void rope(float2* x) { double s, c; sincos(1.0, &s, &c); float2 v = x[0]; x[0] = {v.x * c - v.y * s, v.x * s + v.y * c}; }

//// ok: rope with sincosf
__global__ void rope(float2* x, int d) { int i = threadIdx.x; float s, c; __sincosf(i * powf(10000.f, -2.f * i / d), &s, &c); float2 v = x[i]; x[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c); x[i] = {v.x * c - v.y * s, v.x * s + v.y * c}; sincosf(1.f, &s, &c); }
