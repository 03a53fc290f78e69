// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: goto out of a loop
__global__ void k(int* x) { for (int i = 0; i < 3; ++i) if (x[i]) goto end; x[0] = 1; end: return; }

//// refused: goto into a loop
__global__ void k(int* x) { goto in; for (int i = 0; i < 3; ++i) { in: x[i] = 1; } }

//// ok: a label at the end of a block
__global__ void k(int* x) { if (x[0]) goto end; x[1] = 1; end: }

//// refused: a computed goto
__global__ void k(int* x) { void* p = &&end; goto *p; end: x[0] = 1; }

//// ok: fallthrough attribute
__global__ void k(int* x) { switch (x[0]) { case 0: x[1] = 1; [[fallthrough]]; case 1: x[2] = 1; } }

//// refused: two defaults
__global__ void k(int* x) { switch (x[0]) { default: x[1] = 1; default: x[2] = 1; } }

//// ok: __builtin_assume and __builtin_expect
__global__ void k(int* x, int n) { __builtin_assume(n > 0); if (__builtin_expect(n > 3, 1)) x[0] = n; }

//// ok: __builtin_unreachable
__global__ void k(int* x, int n) { if (n > 3) x[0] = n; else __builtin_unreachable(); }

//// ok: __builtin_clz in a kernel
__global__ void k(int* x) { x[0] = __builtin_clz(x[1]); }

//// refused: __builtin_ctz in a kernel
__global__ void k(int* x) { x[0] = __builtin_ctz(x[1]); }

//// ok: __builtin_memcpy in a kernel
__global__ void k(int* x) { __builtin_memcpy(x, x + 1, 4); }

//// refused: __builtin_bswap32 in a kernel
__global__ void k(unsigned* x) { x[0] = __builtin_bswap32(x[1]); }

//// refused: __builtin_trap in a kernel
__global__ void k(unsigned* x) { if (x[0]) __builtin_trap(); }

//// refused: __builtin_constant_p in a kernel
__global__ void k(unsigned* x) { x[0] = __builtin_constant_p(3) + __builtin_constant_p(x[1]); }

//// ok: __builtin_alloca in a kernel
__global__ void k(int* x) { int* p = (int*)__builtin_alloca(16); p[0] = 1; x[0] = p[0]; }

//// ok: alloca in a kernel
#include <alloca.h>
__global__ void k(int* x) { int* p = (int*)alloca(16); p[0] = 1; x[0] = p[0]; }

//// refused: calloc in a kernel
#include <cstdlib>
__global__ void k(int* x) { int* p = (int*)calloc(4, 4); x[0] = p[0]; }

//// ok: launch bounds with a template parameter
template <int N> __global__ void __launch_bounds__(N) k(int* x) { x[0] = N; }
void f(int* x) { k<64><<<1, 64>>>(x); }

//// ok: launch bounds with an expression of a template parameter
template <int N> __global__ __launch_bounds__(N * 32, 2) void k(int* x) { x[0] = N; }
void f(int* x) { k<2><<<1, 64>>>(x); }

//// ok: launch bounds with a const int of the host
const int N = 64;
__global__ __launch_bounds__(N) void k(int* x) { x[0] = N; }

//// ok: launch bounds with a static member
struct C { static constexpr int n = 64; };
template <class T> __global__ __launch_bounds__(T::n) void k(int* x) { x[0] = 1; }
void f(int* x) { k<C><<<1, 64>>>(x); }

//// ok: launch bounds of zero
__global__ __launch_bounds__(0) void k(int* x) { x[0] = 1; }

//// ok: launch bounds of a negative number
__global__ __launch_bounds__(-1) void k(int* x) { x[0] = 1; }

//// ok: launch bounds of too many threads
__global__ __launch_bounds__(2048) void k(int* x) { x[0] = 1; }

//// refused: launch bounds of a float
__global__ __launch_bounds__(64.0f) void k(int* x) { x[0] = 1; }

//// refused: launch bounds without numbers
__global__ __launch_bounds__() void k(int* x) { x[0] = 1; }

//// refused: launch bounds with four numbers
__global__ __launch_bounds__(64, 1, 1, 1) void k(int* x) { x[0] = 1; }

//// ok: launch bounds of three numbers
__global__ __launch_bounds__(64, 1, 1) void k(int* x) { x[0] = 1; }

//// refused: launch bounds on a device function
__device__ __launch_bounds__(64) int f() { return 1; }
__global__ void k(int* x) { x[0] = f(); }

//// ok: launch bounds behind the parameters
__global__ void k(int* x) __launch_bounds__(64);
__global__ void k(int* x) { x[0] = 1; }

//// ok: launch bounds twice
__global__ __launch_bounds__(64) __launch_bounds__(128) void k(int* x) { x[0] = 1; }

//// ok: launch bounds on a declaration and another on the definition
__global__ __launch_bounds__(64) void k(int* x);
__global__ __launch_bounds__(128) void k(int* x) { x[0] = 1; }

//// ok: launch bounds on a declaration alone
__global__ __launch_bounds__(64) void k(int* x);
__global__ void k(int* x) { x[0] = 1; }

//// ok: __maxnreg__
__global__ __maxnreg__(32) void k(int* x) { x[0] = 1; }

//// refused: __maxnreg__ with launch bounds of two numbers
__global__ __launch_bounds__(64, 2) __maxnreg__(32) void k(int* x) { x[0] = 1; }

//// ok: __grid_constant__
struct P { int a[4]; };
__global__ void k(const __grid_constant__ P p, int* x) { x[0] = p.a[threadIdx.x]; }

//// refused: __grid_constant__ without const
struct P { int a[4]; };
__global__ void k(__grid_constant__ P p, int* x) { x[0] = p.a[threadIdx.x]; }

//// refused: __grid_constant__ of a device function
struct P { int a[4]; };
__device__ int f(const __grid_constant__ P p) { return p.a[0]; }
__global__ void k(P p, int* x) { x[0] = f(p); }

//// refused: __grid_constant__ of a reference
struct P { int a[4]; };
__global__ void k(const __grid_constant__ P& p, int* x) { x[0] = p.a[threadIdx.x]; }

//// ok: unroll without number
__global__ void k(int* x) {
#pragma unroll
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: unroll by zero
__global__ void k(int* x) {
#pragma unroll 0
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: unroll by a negative number
__global__ void k(int* x) {
#pragma unroll -1
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// refused: unroll by a float
__global__ void k(int* x) {
#pragma unroll 2.5
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// refused: unroll by a variable
__global__ void k(int* x, int n) {
#pragma unroll n
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// refused: unroll by an undeclared name
__global__ void k(int* x) {
#pragma unroll N
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// refused: unroll by a macro
#define N 4
__global__ void k(int* x) {
#pragma unroll N
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// refused: unroll by a macro in parentheses
#define N 4
__global__ void k(int* x) {
#pragma unroll (N)
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: unroll by a template parameter
template <int N> __global__ void k(int* x) {
#pragma unroll N
for (int i = 0; i < 3; ++i) x[i] = 1; }
template __global__ void k<3>(int*);

//// ok: unroll by an expression
constexpr int N = 4;
__global__ void k(int* x) {
#pragma unroll (N / 2)
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: unroll by a constexpr call
constexpr int two(int n) { return n / 2; }
__global__ void k(int* x) {
#pragma unroll two(4)
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: unroll before no loop
__global__ void k(int* x) {
#pragma unroll
x[0] = 1; }

//// ok: unroll before a while
__global__ void k(int* x) {
#pragma unroll 2
while (x[0]) x[0]--; }

//// ok: unroll before a do
__global__ void k(int* x) {
#pragma unroll 2
do { x[0]--; } while (x[0]); }

//// ok: unroll before a range for
__global__ void k(int* x) { int a[3] = {1, 2, 3};
#pragma unroll
for (int v : a) x[v] = 1; }

//// ok: unroll twice
__global__ void k(int* x) {
#pragma unroll
#pragma unroll 2
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: unroll in the host function
void f(int* x) {
#pragma unroll 4
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: nounroll
__global__ void k(int* x) {
#pragma nounroll
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: GCC unroll
__global__ void k(int* x) {
#pragma GCC unroll 4
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: _Pragma unroll
__global__ void k(int* x) { _Pragma("unroll") for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: _Pragma unroll in a macro
#define UNROLL _Pragma("unroll")
__global__ void k(int* x) { UNROLL for (int i = 0; i < 3; ++i) x[i] = 1; }

//// refused: atomicAdd of a short
__global__ void k(short* x) { atomicAdd(x, (short)1); }

//// ok: atomicAdd of a float with a double
__global__ void k(float* x) { atomicAdd(x, 1.0); }

//// refused: atomicAdd of a long long
__global__ void k(long long* x) { atomicAdd(x, 1LL); }

//// refused: atomicAdd of a uint64_t
#include <cstdint>
__global__ void k(uint64_t* x) { atomicAdd(x, 1); }

//// ok: atomicAdd of a float4
__global__ void k(float4* x) { atomicAdd(x, make_float4(1, 1, 1, 1)); }

//// ok: atomicAdd of a float2
__global__ void k(float2* x) { atomicAdd(x, make_float2(1, 1)); }

//// refused: atomicAdd of a bool
__global__ void k(bool* x) { atomicAdd(x, true); }

//// refused: atomicAdd of a volatile int
__global__ void k(volatile int* x) { atomicAdd(x, 1); }

//// ok: atomicMin of a long long
__global__ void k(long long* x) { atomicMin(x, 3LL); atomicMax(x, 3LL); atomicAnd(x, 3LL); }

//// refused: atomicMin of a double
__global__ void k(double* x) { atomicMin(x, 3.0); }

//// refused: atomicCAS of a pointer
__global__ void k(int** x) { atomicCAS(x, nullptr, x[1]); }

//// refused: atomicCAS of a long long
__global__ void k(long long* x) { atomicCAS(x, 1LL, 2LL); }

//// ok: atomicCAS of a double by cast
__global__ void k(double* x) { atomicCAS((unsigned long long*)x, 1ull, __double_as_longlong(2.0)); }

//// refused: atomicExch of a pointer
__global__ void k(int** x) { atomicExch(x, x[1]); }

//// refused: atomicInc of an int
__global__ void k(int* x) { atomicInc(x, 3); }

//// ok: atomicInc of an unsigned
__global__ void k(unsigned* x) { atomicInc(x, 3); atomicDec(x, 3); }

//// refused: vector members wrong
__global__ void k(float4* x) { x[0].r = 1; }

//// refused: vector index
__global__ void k(float4* x) { x[0][1] = 1; }

//// refused: vector compared
__global__ void k(float4* x, int* y) { y[0] = x[0] == x[1]; }

//// refused: vector negated
__global__ void k(float4* x) { x[0] = -x[1]; }

//// refused: vector times float
__global__ void k(float4* x) { x[0] = 2.f * x[1]; }

//// refused: vector +=
__global__ void k(float4* x) { x[0] += x[1]; }

//// refused: vector = float
__global__ void k(float4* x) { x[0] = 1.f; }

//// refused: float = vector
__global__ void k(float4* x, float* y) { y[0] = x[0]; }

//// ok: vector = braces
__global__ void k(float4* x) { x[0] = {1, 2, 3, 4}; }

//// ok: vector = too few braces
__global__ void k(float4* x) { x[0] = {1, 2}; }

//// refused: vector = too many braces
__global__ void k(float4* x) { float4 v = {1, 2, 3, 4, 5}; x[0] = v; }

//// refused: vector constructor
__global__ void k(float4* x) { x[0] = float4(1, 2, 3, 4); }

//// ok: vector braces constructor
__global__ void k(float4* x) { x[0] = float4{1, 2, 3, 4}; }

//// refused: make_float4 of one
__global__ void k(float4* x) { x[0] = make_float4(1); }

//// refused: make_float4 of five
__global__ void k(float4* x) { x[0] = make_float4(1, 2, 3, 4, 5); }

//// refused: make_float4 of float3 and float
__global__ void k(float4* x, float3 v) { x[0] = make_float4(v, 1); }

//// refused: dim3 compared
__global__ void k(int* x) { }
bool f(dim3 a, dim3 b) { return a == b; }

//// refused: dim3 with four numbers
__global__ void k(int* x) { }
void f(int* x) { dim3 g(1, 2, 3, 4); k<<<g, 1>>>(x); }

//// ok: dim3 from a float
__global__ void k(int* x) { }
void f(int* x, float n) { dim3 g(n); k<<<g, 1>>>(x); }

//// ok: dim3 from an int variable by =
__global__ void k(int* x) { }
void f(int* x, int n) { dim3 g = n; k<<<g, n>>>(x); }

//// ok: dim3 from a size_t in braces
__global__ void k(int* x) { }
void f(int* x, size_t n) { dim3 g{n}; k<<<g, 1>>>(x); }

//// refused: dim3 from a string
__global__ void k(int* x) { }
void f(int* x) { k<<<"1", 1>>>(x); }

//// refused: dim3 from a pointer
__global__ void k(int* x) { }
void f(int* x) { k<<<x, 1>>>(x); }

//// refused: dim3 to int
__global__ void k(int* x) { }
int f(dim3 n) { return n; }

//// ok: gridDim as dim3
__global__ void k(int* x) { dim3 g = gridDim; dim3 b = blockIdx; x[0] = g.x + b.y; }

//// ok: threadIdx as uint3
__global__ void k(int* x) { uint3 t = threadIdx; uint3 g = gridDim; x[0] = t.x + g.x; }

//// refused: threadIdx as a template argument
template <int N> __device__ int f() { return N; }
__global__ void k(int* x) { x[0] = f<threadIdx.x>(); }

//// ok: a label at the end of a loop's body
__global__ void k(int* x) { for (int i = 0; i < 3; ++i) { if (x[i]) goto next; x[i] = 1; next: } }

//// ok: a default without statement
__global__ void k(int* x) { switch (x[0]) { case 0: x[1] = 1; break; default: } }

//// ok: a case without statement
__global__ void k(int* x) { switch (x[0]) { case 1: x[1] = 1; break; case 0: } }

//// ok: a label at the end of the host function
void f(int* x) { if (x[0]) goto end; x[1] = 1; end: }

//// refused: unroll by a macro that is a template parameter's name
#define UNROLL 4
template <int N> __global__ void k(int* x) {
#pragma unroll UNROLL
for (int i = 0; i < N; ++i) x[i] = 1; }
template __global__ void k<3>(int*);

//// ok: unroll by a macro that is undefined again
#define N 4
#undef N
constexpr int N = 4;
__global__ void k(int* x) {
#pragma unroll N
for (int i = 0; i < N; ++i) x[i] = 1; }

//// ok: unroll by a const int
const int N = 4;
__global__ void k(int* x) {
#pragma unroll N
for (int i = 0; i < N; ++i) x[i] = 1; }

//// ok: unroll by a macro in the host function
#define N 4
void f(int* x) {
#pragma unroll N
for (int i = 0; i < N; ++i) x[i] = 1; }

//// ok: unroll by a number and a macro beside
#define N 4
__global__ void k(int* x) {
#pragma unroll 4
for (int i = 0; i < N; ++i) x[i] = 1; }

//// ok: unroll by one
__global__ void k(int* x) {
#pragma unroll 1
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: unroll by a static member
struct C { static constexpr int n = 4; };
__global__ void k(int* x) {
#pragma unroll C::n
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: unroll by sizeof
__global__ void k(int* x) {
#pragma unroll sizeof(int)
for (int i = 0; i < 3; ++i) x[i] = 1; }

//// ok: cluster dims without numbers
__global__ __cluster_dims__() void k(int* x) { x[0] = 1; }

//// ok: __builtin_ctz of a constant
__global__ void k(int* x) { x[0] = __builtin_ctz(8); }

//// ok: __builtin_ctz on the host
int f(int x) { return __builtin_ctz(x); }

//// ok: __builtin_ctz in a function of both sides
__host__ __device__ int f(int x) { return __builtin_ctz(x); }
__global__ void k(int* x) { x[0] = f(x[1]); }

//// ok: __builtin_ctz in a constexpr function
constexpr int f(int x) { return __builtin_ctz(x); }
__global__ void k(int* x) { x[0] = f(x[1]); }

//// ok: __builtin_ctz in a template kernel
template <int N> __global__ void k(int* x) { x[0] = __builtin_ctz(N); }
template __global__ void k<4>(int*);

//// refused: __builtin_ctz in a template kernel of a variable
template <int N> __global__ void k(int* x) { x[0] = __builtin_ctz(x[N]); }
template __global__ void k<4>(int*);

//// ok: __builtin_ctz of a constexpr local
__global__ void k(int* x) { constexpr int n = 8; constexpr int m = __builtin_ctz(n); x[0] = m + __builtin_ctz(n); }

//// ok: __builtin_bswap32 of a constant in an initialiser
__global__ void k(unsigned* x) { unsigned n = __builtin_bswap32(3); x[0] = n; }

//// refused: __sync_fetch_and_add in a kernel
__global__ void k(int* x) { __sync_fetch_and_add(x, 1); }

//// refused: __atomic_fetch_add in a kernel
__global__ void k(int* x) { __atomic_fetch_add(x, 1, __ATOMIC_RELAXED); }

//// refused: __builtin_constant_p of a variable in an if
__global__ void k(int* x, int n) { if (__builtin_constant_p(n)) x[0] = 1; }

//// refused: blockIdx address
__global__ void k(int* x) { const uint3* p = &blockIdx; x[0] = p->x; }

//// refused: a member of threadIdx by address
__global__ void k(int* x) { const unsigned* p = &threadIdx.x; x[0] = *p; }

//// ok: threadIdx minus
__global__ void k(int* x) { x[0] = -threadIdx.x; x[1] = !threadIdx.x; }

//// refused: half times int
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = x[1] * 2; }

//// refused: half times double
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = x[1] * 2.0; }

//// refused: half in a ternary mixed
#include <cuda_fp16.h>
__global__ void k(half* x, float* y) { y[0] = x[0] > half(0) ? x[0] : 0.f; }

//// ok: half negated and incremented
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = -x[1]; x[2]++; x[3] += x[4]; ++x[5]; }

//// ok: half assigned an int and a double
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = 1; x[1] = 2.0; x[2] = 3.0f; x[3] = 4u; x[4] = 5ll; }

//// refused: half sum in a float
#include <cuda_fp16.h>
__global__ void k(half* x, float* y) { float s = 0; for (int i = 0; i < 4; ++i) s += x[i]; y[0] = s; }

//// ok: half sum in a float by a cast
#include <cuda_fp16.h>
__global__ void k(half* x, float* y) { float s = 0; for (int i = 0; i < 4; ++i) s += float(x[i]); y[0] = s; }

//// refused: float times half
#include <cuda_fp16.h>
__global__ void k(half* x, float* y) { y[0] = y[1] * x[0]; }

//// refused: bfloat16 times float
#include <cuda_bf16.h>
__global__ void k(__nv_bfloat16* x, float* y) { y[0] = y[1] * x[0]; }

//// refused: half as a switch
#include <cuda_fp16.h>
__global__ void k(half* x) { switch (x[0]) { case 0: x[1] = 1; } }

//// ok: half as an index
#include <cuda_fp16.h>
__global__ void k(half* x) { x[x[0]] = x[1]; }

//// refused: half literal
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = 1.0h; }

//// ok: shared device order
__global__ void k(float* x) { __shared__ __device__ float s[32]; s[threadIdx.x] = x[0]; x[1] = s[0]; }

//// ok: device shared order
__global__ void k(float* x) { __device__ __shared__ float s[32]; s[threadIdx.x] = x[0]; x[1] = s[0]; }

//// ok: shared device extern
extern __device__ __shared__ float s[];
__global__ void k(float* x) { s[threadIdx.x] = x[0]; x[1] = s[0]; }

//// ok: unroll at file scope
#pragma unroll
__global__ void k(float* x) { for (int i = 0; i < 4; ++i) x[i] = 0; }

//// ok: unroll at file scope with number
#pragma unroll 4
__global__ void k(float* x) { for (int i = 0; i < 4; ++i) x[i] = 0; }

//// ok: unroll at file scope alone
__global__ void k(float* x) { for (int i = 0; i < 4; ++i) x[i] = 0; }
#pragma unroll

//// ok: unroll in a class
struct A {
#pragma unroll
    __device__ void f(float* x) { for (int i = 0; i < 4; ++i) x[i] = 0; }
};
__global__ void k(float* x) { A{}.f(x); }

//// ok: unroll at file scope with an undeclared name
#pragma unroll N
__global__ void k(float* x) { for (int i = 0; i < 4; ++i) x[i] = 0; }

//// refused: _Pragma unroll N undeclared
__global__ void k(float* x) { _Pragma("unroll N") for (int i = 0; i < 4; ++i) x[i] = 0; }

//// ok: _Pragma unroll constexpr
constexpr int N = 4;
__global__ void k(float* x) { _Pragma("unroll N") for (int i = 0; i < 4; ++i) x[i] = 0; }

//// refused: _Pragma unroll macro
#define N 4
__global__ void k(float* x) { _Pragma("unroll N") for (int i = 0; i < 4; ++i) x[i] = 0; }

//// ok: _Pragma unroll 4
__global__ void k(float* x) { _Pragma("unroll 4") for (int i = 0; i < 4; ++i) x[i] = 0; }

//// ok: _Pragma unroll of template parameter
template <int N> __global__ void k(float* x) { _Pragma("unroll N") for (int i = 0; i < 4; ++i) x[i] = 0; }
template __global__ void k<3>(float*);

//// refused: cluster dims 0
__global__ void __cluster_dims__(0) k(float* x) { x[0] = 0; }

//// refused: cluster dims 2 0 1
__global__ void __cluster_dims__(2, 0, 1) k(float* x) { x[0] = 0; }

//// ok: cluster dims 2 1 1
__global__ void __cluster_dims__(2, 1, 1) k(float* x) { x[0] = 0; }

//// refused: cluster dims of four numbers
__global__ void __cluster_dims__(1, 1, 1, 1) k(float* x) { x[0] = 0; }

//// refused: cluster dims of a device function
__device__ void __cluster_dims__(2) d(float* x) { x[0] = 0; }
__global__ void k(float* x) { d(x); }

//// ok: cluster dims constexpr
constexpr int N = 2;
__global__ void __cluster_dims__(N, 1, 1) k(float* x) { x[0] = 0; }

//// refused: cluster dims of a variable
int n = 2;
__global__ void __cluster_dims__(n, 1, 1) k(float* x) { x[0] = 0; }

//// ok: cluster dims template
template <int N> __global__ void __cluster_dims__(N, 1, 1) k(float* x) { x[0] = 0; }
template __global__ void k<2>(float*);

//// refused: cluster dims negative
__global__ void __cluster_dims__(-1) k(float* x) { x[0] = 0; }

//// refused: cluster dims float
__global__ void __cluster_dims__(1.5) k(float* x) { x[0] = 0; }

//// ok: cluster dims of an enum
enum { N = 2 };
__global__ void __cluster_dims__(N) k(float* x) { x[0] = 0; }

//// ok: cluster dims of sizeof
__global__ void __cluster_dims__(sizeof(short), 1) k(float* x) { x[0] = 0; }

//// refused: cluster dims of a template's zero
template <int N> __global__ void __cluster_dims__(N, 1, 1) k(float* x) { x[0] = 0; }
template __global__ void k<0>(float*);

//// ok: cluster dims of a template's zero never made
template <int N> __global__ void __cluster_dims__(N, 0, 1) k(float* x) { x[0] = 0; }

//// refused: constexpr kernel
__global__ constexpr void k(float* x) { x[0] = 1; }

//// refused: asm n of a variable
__global__ void k(int* x) { int n = x[0]; asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(n)); }

//// refused: asm n of a parameter
__global__ void k(int* x, int n) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(n)); }

//// ok: asm n of a constant
__global__ void k(int* x) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(5)); }

//// ok: asm n of a constexpr
__global__ void k(int* x) { constexpr int n = 3; asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(n)); }

//// ok: asm n of a const
__global__ void k(int* x) { const int n = 3; asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(n)); }

//// ok: asm n of a template parameter
template <int N> __global__ void k(int* x) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(N)); }
template __global__ void k<3>(int*);

//// refused: asm n of a function's parameter inline
__device__ __forceinline__ void w(int* x, int n) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(n)); }
__global__ void k(int* x) { w(x, 3); }

//// ok: asm n of an expression of a template parameter
template <int N> __device__ void w(int* x) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(N * 2 + sizeof(int))); }
__global__ void k(int* x) { w<3>(x); }

//// ok: asm n of sizeof T
template <class T> __device__ void w(T* x) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(sizeof(T))); }
__global__ void k(int* x) { w(x); }

//// ok: asm n of a trait
template <class T> struct N { static constexpr int v = 3; };
template <class T> __device__ void w(T* x) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(N<T>::v)); }
__global__ void k(int* x) { w(x); }

//// ok: asm n in a macro
#define MOV(d, n) asm volatile("mov.u32 %0, %1;" : "=r"(d) : "n"(n))
__global__ void k(int* x) { MOV(x[0], 4); }

//// ok: asm n of a host constant
const int n = 4;
__global__ void k(int* x) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(n)); }

//// refused: asm n of a loop counter
__global__ void k(int* x) {
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("mov.u32 %0, %1;" : "=r"(x[i]) : "n"(i));
}

//// refused: asm goto
__global__ void k(int* x) { asm goto("bra %l0;" : : : : out); x[0] = 1; out: return; }

//// refused: asm volatile goto
__global__ void k(int* x) { asm volatile goto("bra %l0;" : : : : out); x[0] = 1; out: return; }

//// refused: asm i of a loop counter
__global__ void k(int* x) {
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("mov.u32 %0, %1;" : "=r"(x[i]) : "i"(i));
}

//// refused: a kernel with __maxnreg__ but no __global__
__forceinline__ __device__ __maxnreg__(32) void k(int* x) { x[0] = 1; }

//// ok: an unroll at the end of a block
__global__ void k(int* x) {
    for (int i = 0; i < 3; ++i) {
        x[i] = i;
#pragma unroll
    }
#pragma unroll 4
}

//// ok: an unroll at the end of a switch
__global__ void k(int* x) {
    switch (x[0]) {
        case 1: x[0] = 2; break;
#pragma unroll
    }
}

//// ok: attributes behind the type
__global__ void k(int [[maybe_unused]] n, int* x) { const int [[maybe_unused]] lane = threadIdx.x; int [[deprecated]] a = 1; x[0] = a; }

//// ok: nodiscard behind the type
__device__ int [[nodiscard]] one() { return 1; }
__global__ void k(int* x) { x[0] = one(); }
