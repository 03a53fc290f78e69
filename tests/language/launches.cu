// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: a plain launch
__global__ void k(float* x) { x[threadIdx.x] = 1; }
void f(float* x, cudaStream_t s) { k<<<1, 32, 0, s>>>(x); }

//// ok: a launch with a dim3
__global__ void k(float* x) { x[threadIdx.x] = 1; }
void f(float* x) { dim3 grid(2, 3), block{32, 4}; k<<<grid, block>>>(x); k<<<dim3(1), dim3(1, 2, 3)>>>(x); }

//// ok: a launch with braces
__global__ void k(float* x) { x[threadIdx.x] = 1; }
void f(float* x) { k<<<{2, 2}, {32, 2}>>>(x); }

//// refused: a launch of a function without __global__
void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 32>>>(x); }

//// refused: a launch of a __device__ function
__device__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 32>>>(x); }

//// refused: a kernel called like a function
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k(x); }

//// refused: a kernel called like a function by a kernel
__global__ void k(float* x) { x[0] = 1; }
__global__ void g(float* x) { k(x); }

//// refused: a kernel launches another one
__global__ void k(float* x) { x[0] = 1; }
__global__ void g(float* x) { k<<<1, 1>>>(x); }

//// refused: a device function launches a kernel
__global__ void k(float* x) { x[0] = 1; }
__device__ void g(float* x) { k<<<1, 1>>>(x); }

//// refused: too few arguments
__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
void f(float* x) { k<<<1, 32>>>(x); }

//// refused: too many arguments
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 32>>>(x, 5); }

//// ok: a default argument of a kernel
__global__ void k(float* x, int n = 3) { x[0] = n; }
void f(float* x) { k<<<1, 32>>>(x); }

//// ok: only one launch parameter
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1>>>(x); }

//// refused: no launch parameters
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<>>>(x); }

//// refused: five launch parameters
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, cudaStream_t s) { k<<<1, 1, 0, s, 0>>>(x); }

//// refused: the stream in third place
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, cudaStream_t s) { k<<<1, 1, s>>>(x); }

//// ok: zero as stream
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1, 0, 0>>>(x); }

//// ok: nullptr as stream
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1, 0, nullptr>>>(x); }

//// ok: a float as number of blocks
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, int n) { k<<<ceil(n / 256.0f), 256>>>(x); }

//// refused: a float4 as number of blocks
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, float4 n) { k<<<n, 256>>>(x); }

//// refused: a launch without parentheses
__global__ void k() { }
void f() { k<<<1, 1>>>; }

//// refused: a launch with two angles
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { int b = 1, t = 1; k<<b, t>>(x); }

//// ok: a space in the closing angles
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>> >(x); }

//// ok: a space in the opening angles
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<< <1, 1>>>(x); }

//// refused: a wrong pointer type
__global__ void k(float* x) { x[0] = 1; }
void f(double* x) { k<<<1, 1>>>(x); }

//// refused: a const pointer to a plain one
__global__ void k(float* x) { x[0] = 1; }
void f(const float* x) { k<<<1, 1>>>(x); }

//// refused: a launch of an undeclared kernel
void f(float* x) { kernel<<<1, 1>>>(x); }

//// refused: a launch above the definition
void f(float* x) { k<<<1, 1>>>(x); }
__global__ void k(float* x) { x[0] = 1; }

//// ok: a launch below a declaration
__global__ void k(float* x);
void f(float* x) { k<<<1, 1>>>(x); }
__global__ void k(float* x) { x[0] = 1; }

//// refused: a kernel that returns a number
__global__ int k(float* x) { x[0] = 1; return 0; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: a kernel that returns auto
__global__ auto k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: a kernel with a value to return
__global__ void k(float* x) { return 1; }

//// ok: a kernel with a reference parameter
__global__ void k(float& x) { x = 1; }
void f(float x) { k<<<1, 1>>>(x); }

//// ok: a kernel with a const reference parameter
__global__ void k(float* out, const float& x) { *out = x; }

//// refused: a variadic kernel
__global__ void k(float* x, ...) { x[0] = 1; }

//// ok: a kernel with a parameter pack
template <class... T> __global__ void k(float* x, T... more) { x[0] = sizeof...(more); }
void f(float* x) { k<<<1, 1>>>(x, 1, 2.0f); }

//// ok: a kernel with a struct parameter
struct Shape { int n, m; };
__global__ void k(float* x, Shape s) { x[0] = s.n * s.m; }
void f(float* x) { k<<<1, 1>>>(x, Shape{1, 2}); k<<<1, 1>>>(x, {3, 4}); }

//// ok: a kernel with an array parameter
__global__ void k(float x[], const int n[3]) { x[0] = n[1]; }
void f(float* x, int* n) { k<<<1, 1>>>(x, n); }

//// ok: a static kernel
static __global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// ok: an inline kernel
inline __global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: a kernel that is __device__ as well
__device__ __global__ void k(float* x) { x[0] = 1; }

//// refused: a kernel that is __host__ as well
__host__ __global__ void k(float* x) { x[0] = 1; }

//// refused: a kernel that is a static method
struct S { static __global__ void k(float* x) { x[0] = 1; } };
void f(float* x) { S::k<<<1, 1>>>(x); }

//// refused: a kernel that is a method
struct S { __global__ void k(float* x) { x[0] = 1; } };

//// ok: void and __global__ the other way round
void __global__ k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// ok: a kernel in a namespace
namespace mine { __global__ void k(float* x) { x[0] = 1; } }
void f(float* x) { mine::k<<<1, 1>>>(x); }

//// ok: a kernel in an unnamed namespace
namespace { __global__ void k(float* x) { x[0] = 1; } }
void f(float* x) { k<<<1, 1>>>(x); }

//// ok: an overloaded kernel
__global__ void k(float* x) { x[0] = 1; }
__global__ void k(double* x) { x[0] = 1; }
void f(float* x, double* y) { k<<<1, 1>>>(x); k<<<1, 1>>>(y); }

//// refused: a recursive kernel
__global__ void k(float* x, int n) { if (n) k(x, n - 1); }

//// ok: a kernel through a pointer
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, bool b) { void (*which)(float*) = k; which<<<1, 1>>>(x); auto p = &k; p<<<1, 1>>>(x); }

//// ok: launch bounds
__global__ void __launch_bounds__(256) k(float* x) { x[0] = 1; }
__global__ __launch_bounds__(256, 2) void h(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 256>>>(x); h<<<1, 1>>>(x); }

//// refused: launch bounds that are no constant
int n = 3;
__global__ void __launch_bounds__(n) k(float* x) { x[0] = 1; }

//// ok: cudaLaunchKernel
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { void* a[] = {&x}; cudaLaunchKernel((void*)k, 1, 32, a, 0, nullptr); cudaLaunchKernel((const void*)k, dim3(1), dim3(2), a); }

//// ok: an error of the launch is checked
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); if (cudaGetLastError() != cudaSuccess) return; cudaError_t e = cudaDeviceSynchronize(); (void)e; }

//// refused: the launch's result is kept
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { cudaError_t e = k<<<1, 1>>>(x); }

//// refused: an unfinished launch
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1(x); }

//// refused: a launch without semicolon
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x) }

//// ok: extern "C" around a kernel
extern "C" __global__ void k(float* x) { x[0] = 1; }
extern "C" void f(float* x) { k<<<1, 1>>>(x); }

//// ok: main in the file
__global__ void k(float* x) { x[0] = 1; }
int main() { float* x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); cudaFree(x); return 0; }

//// ok: an argument that is a temporary of the host
#include <vector>
__global__ void k(const float* x) { }
void f() { std::vector<float> v(3); k<<<1, 1>>>(v.data()); }

//// ok: a vector as an argument
#include <vector>
__global__ void k(std::vector<float> x) { }

//// refused: a lambda as kernel argument, host lambda called on the device
template <class F> __global__ void k(float* x, F f) { x[0] = f(1.0f); }
void g(float* x) { k<<<1, 1>>>(x, [](float y) { return y + 1; }); }

//// refused: a device lambda without the flag
template <class F> __global__ void k(float* x, F f) { x[0] = f(1.0f); }
void g(float* x) { k<<<1, 1>>>(x, [] __device__(float y) { return y + 1; }); }

//// ok: a functor as kernel argument
struct Add { float a; __device__ float operator()(float x) const { return x + a; } };
template <class F> __global__ void k(float* x, F f) { x[0] = f(1.0f); }
void g(float* x) { k<<<1, 1>>>(x, Add{2}); }

//// refused: a functor without __device__
struct Add { float a; float operator()(float x) const { return x + a; } };
template <class F> __global__ void k(float* x, F f) { x[0] = f(1.0f); }
void g(float* x) { k<<<1, 1>>>(x, Add{2}); }

//// refused: a kernel that takes an initializer_list
#include <initializer_list>
__global__ void k(float* x, std::initializer_list<float> v) { x[0] = 1; }

//// refused: a kernel template that takes an initializer_list
#include <initializer_list>
template <class T> __global__ void k(float* x, std::initializer_list<T> v) { x[0] = 1; }

//// ok: a kernel that takes a pointer to an initializer_list
#include <initializer_list>
__global__ void k(float* x, const std::initializer_list<float>* v) { x[0] = 1; }

//// refused: kernel in std::function
#include <functional>
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { std::function<void(float*)> g = k; g<<<1, 1>>>(x); }

//// ok: kernel parameter of 8000 bytes
struct P { int v[2000]; };
__global__ void k(P p, int* x) { x[0] = p.v[3]; }

//// refused: huger kernel parameter
struct P { int v[9000]; };
__global__ void k(P p, int* x) { x[0] = p.v[3]; }

//// refused: too large kernel parameters together
struct P { int v[4500]; };
__global__ void k(P p, P q, int* x) { x[0] = p.v[3] + q.v[4]; }

//// ok: braces behind an argument with a template's angles
template <class T> struct Span { T* p; int n; };
__global__ void k(Span<float> a, Span<const float> b, int* c) { a.p[0] = b.p[0]; }
void f(float* x, int n) { k<<<1, 1>>>(Span<float>{x, n}, {x, n}, 0); k<<<1, 1>>>({x, n}, Span<const float>{x, n < 2}, NULL); }

//// refused: braces that are no parameter's behind a template's angles
template <class T> struct Span { T* p; int n; };
__global__ void k(Span<float> a, int* b) { a.p[0] = 1; }
void f(float* x, int n) { k<<<1, 1>>>(Span<float>{x, n}, {1, 2}); }

//// ok: a macro that is the whole configuration of a launch
#define CONFIG <<<1, 32>>>
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k CONFIG (x); }

//// ok: a macro with parameters that is the whole configuration, once empty for an editor
#ifdef __INTELLISENSE__
#define KERNEL_ARGS2(grid, block)
#else
#define KERNEL_ARGS2(grid, block) <<< grid, block >>>
#endif
template <int N> __global__ void k(float* x, int* y) { x[0] = N; }
void f(float* x, int n) { k<3> KERNEL_ARGS2((n + 31) / 32, dim3(32)) (x, 0); }

//// refused: a configuration's macro without arguments behind it
#define CONFIG <<<1, 32>>>
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k CONFIG; }

//// refused: a configuration's macro behind what is no kernel
#define CONFIG <<<1, 32>>>
void k(float* x) { x[0] = 1; }
void f(float* x) { k CONFIG (x); }

//// ok: NULL as the shared memory of a launch and as a number
__global__ void k(float* p, int n) { int a = NULL; if (p == NULL && n == 0) p[NULL] = a; }
int find(int n) { if (n == NULL) return NULL; return n; }
void f(cudaStream_t s) { k<<<1, 1, NULL, s>>>(NULL, NULL); k<<<1, 1, 0, NULL>>>(NULL, find(NULL)); void* a[2] = {}; cudaLaunchKernel((const void*)k, dim3(1), dim3(1), a, NULL, NULL); }

//// refused: a constexpr function of the GPU is launched
constexpr __device__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: a constexpr template of the GPU is launched
template <int N> constexpr __device__ void k(float* x) { x[0] = N; }
void f(float* x) { k<0><<<1, 1>>>(x); }

//// refused: a template of the GPU is launched
template <int N> __device__ void k(float* x) { x[0] = N; }
void f(float* x) { k<0><<<1, 1>>>(x); }
