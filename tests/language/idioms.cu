// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: half operators
#include <cuda_fp16.h>
__global__ void k(half* x) { half a = x[0], b = x[1]; x[2] = a * b + a - b / a; x[3] = -a; a += b; a *= b; x[4] = a > b ? a : b; x[5] = a == b; ++a; x[6] = a; }

//// refused: half plus float
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = x[1] + 1.f; }

//// refused: half times int
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = x[1] * 2; }

//// refused: half times double
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = x[1] * 2.0; }

//// refused: half compared to float
#include <cuda_fp16.h>
__global__ void k(half* x) { if (x[0] > 0.f) x[0] = 1.f; }

//// refused: half compared to int
#include <cuda_fp16.h>
__global__ void k(half* x) { if (x[0] > 0) x[0] = 1; }

//// refused: half in a ternary with a number
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = x[1] > x[2] ? x[1] : 0.f; }

//// ok: half in a condition
#include <cuda_fp16.h>
__global__ void k(half* x) { if (x[0]) x[1] = x[2]; }

//// ok: half as an index
#include <cuda_fp16.h>
__global__ void k(half* x) { x[(int)x[0]] = x[1]; int i = x[0]; x[i] = x[1]; }

//// ok: half as an index without a cast
#include <cuda_fp16.h>
__global__ void k(half* x) { x[x[0]] = x[1]; }

//// refused: float plus equals half
#include <cuda_fp16.h>
__global__ void k(half* x, float* y) { y[0] += x[0]; y[1] = x[0]; float f = x[1]; y[2] = f; }

//// refused: float plus half
#include <cuda_fp16.h>
__global__ void k(half* x, float* y) { y[0] = y[1] + x[0]; }

//// ok: float times cast half
#include <cuda_fp16.h>
__global__ void k(half* x, float* y) { y[0] = y[1] * (float)x[0] + float(x[1]) + static_cast<float>(x[2]); }

//// refused: half max and abs
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = __hmax(x[0], x[1]); x[1] = __habs(x[1]); x[2] = hsqrt(x[2]); x[3] = max(x[0], x[1]); }

//// ok: half fmaxf
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = fmaxf(x[0], x[1]); }

//// refused: half expf
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = expf(x[0]); x[1] = exp(x[1]); }

//// ok: half2 operators
#include <cuda_fp16.h>
__global__ void k(half2* x) { half2 a = x[0]; a = a * x[1] + x[2]; x[0] = __hfma2(a, a, a); x[1].x = a.y; float2 f = __half22float2(a); x[2] = __float22half2_rn(f); x[3] = make_half2(a.x, a.y); }

//// refused: half2 times float
#include <cuda_fp16.h>
__global__ void k(half2* x) { x[0] = x[1] * 2.f; }

//// ok: bf16 operators
#include <cuda_bf16.h>
__global__ void k(__nv_bfloat16* x, nv_bfloat162* y) { x[0] = x[1] * x[2] + x[3]; y[0] = y[1] + y[2]; x[1] = __float2bfloat16(1.f); float f = x[0]; x[2] = f; x[3] += x[4]; }

//// refused: bf16 plus float
#include <cuda_bf16.h>
__global__ void k(__nv_bfloat16* x) { x[0] = x[1] + 1.f; }

//// refused: bf16 to half
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(__nv_bfloat16* x, half* y) { y[0] = x[0]; }

//// ok: half printf
#include <cuda_fp16.h>
#include <cstdio>
__global__ void k(half* x) { printf("%f\n", x[0]); }

//// ok: half printf cast
#include <cuda_fp16.h>
#include <cstdio>
__global__ void k(half* x) { printf("%f\n", (float)x[0]); }

//// ok: half atomics
#include <cuda_fp16.h>
__global__ void k(half* x, half2* y) { atomicAdd(x, half(1.f)); atomicAdd(y, *y); atomicAdd(x, __float2half(1)); }

//// ok: half atomics with a float
#include <cuda_fp16.h>
__global__ void k(half* x) { atomicAdd(x, 1.f); }

//// ok: half constants
#include <cuda_fp16.h>
__constant__ half2 c[4];
__device__ half h;
__global__ void k(half* x) { x[0] = c[0].x + h; x[1] = CUDART_ZERO_FP16; x[2] = CUDART_INF_FP16; }

//// ok: half numeric limits
#include <cuda_fp16.h>
#include <limits>
__global__ void k(half* x) { x[0] = std::numeric_limits<half>::max(); }

//// ok: half shuffles
#include <cuda_fp16.h>
__global__ void k(half* x, half2* y) { x[0] = __shfl_down_sync(~0u, x[0], 1); y[0] = __shfl_xor_sync(0xffffffff, y[0], 2); }

//// refused: half std sqrt
#include <cuda_fp16.h>
#include <cmath>
__global__ void k(half* x) { x[0] = std::sqrt(x[0]); }

//// ok: half union with short
#include <cuda_fp16.h>
union U { half h; unsigned short s; };
__global__ void k(half* x) { U u; u.s = 0x3c00; x[0] = u.h; }

//// ok: half struct member initial value
#include <cuda_fp16.h>
struct S { half h = 0.f; };
__global__ void k(half* x) { S s; x[0] = s.h; }

//// ok: fp8
#include <cuda_fp8.h>
__global__ void k(__nv_fp8_e4m3* x) { float f = float(x[0]); x[1] = __nv_fp8_e4m3(f * 2); }

//// refused: float4 component wise with operators missing
__global__ void k(float4* x) { x[0] = x[1] * 2.f; }

//// refused: float4 braces and compare
__global__ void k(float4* x) { x[0] = {1, 2, 3, 4}; if (x[0] == x[1]) x[1].x = 1; }

//// ok: float4 as array
__global__ void k(float4* x) { float4 v = x[0]; for (int i = 0; i < 4; ++i) (&v.x)[i] += 1; x[0] = v; }

//// refused: float4 indexed
__global__ void k(float4* x) { x[0][1] = 2; }

//// refused: float4 swizzle
__global__ void k(float4* x) { x[0].xy = x[1].xy; }

//// refused: float4 cast
__global__ void k(float4* x) { x[0] = (float4)(1.f); }

//// refused: int3 from dim3
__global__ void k(int* x) { int3 t = threadIdx; x[0] = t.x; }

//// ok: uint3 from threadIdx
__global__ void k(int* x) { uint3 t = threadIdx; dim3 d = blockDim; x[0] = t.x + d.y; dim3 g = t; x[1] = g.x; }

//// refused: vector constructors that there are not
__global__ void k(float2* x) { x[0] = float2(1, 2); }

//// refused: make_float3 with too few
__global__ void k(float3* x) { x[0] = make_float3(1, 2); }

//// ok: double4 and long4
__global__ void k(double4* x, longlong2* y) { x[0] = make_double4(1, 2, 3, 4); y[0].x = 3; }

//// ok: double4_32a
__global__ void k(double4_32a* x, double4_16a* y) { x[0].x = 1; y[0] = make_double4_16a(1, 2, 3, 4); }

//// ok: virtual method in a kernel
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Sq : Shape { float a; __device__ Sq(float a) : a(a) {} __device__ float area() const override { return a * a; } };
__global__ void k(float* x) { Shape* s = new Sq(x[0]); x[1] = s->area(); delete s; }

//// ok: virtual with final and covariant
struct A { __device__ virtual A* me() { return this; } };
struct B final : A { __device__ B* me() override { return this; } int v = 3; };
__global__ void k(int* x) { B b; x[0] = b.me()->v; }

//// refused: override without a base
struct A { __device__ int f() { return 1; } };
struct B : A { __device__ int f() override { return 2; } };
__global__ void k(int* x) { B b; x[0] = b.f(); }

//// ok: new array and delete
__global__ void k(int* x) { int* p = new int[4]{1, 2, 3, 4}; x[0] = p[2]; delete[] p; }

//// refused: unique_ptr in a kernel
#include <memory>
__global__ void k(int* x) { auto p = std::make_unique<int>(3); x[0] = *p; }

//// ok: static_cast and reinterpret_cast
__global__ void k(float* x) { int i = reinterpret_cast<int&>(x[0]); x[1] = static_cast<float>(i) + (float)(long long)x + *reinterpret_cast<int*>(x); }

//// refused: reinterpret_cast of a value
__global__ void k(float* x) { x[1] = reinterpret_cast<int>(x[0]); }

//// refused: dynamic cast up
struct A { __device__ virtual void f() {} };
struct B : A {};
__global__ void k(int* x) { B b; A* a = dynamic_cast<A*>(&b); x[0] = a != nullptr; }

//// ok: goto over initialisation
__global__ void k(int* x) { if (x[0]) goto end; { int a = 3; x[1] = a; } end: x[2] = 1; }

//// refused: goto over initialisation crossing
__global__ void k(int* x) { if (x[0]) goto end; int a = 3; x[1] = a; end: x[2] = 1; }

//// refused: computed goto
__global__ void k(int* x) { void* t[] = {&&a, &&b}; goto *t[x[0]]; a: x[1] = 1; b: x[2] = 2; }

//// ok: switch with ranges
__global__ void k(int* x) { switch (x[0]) { case 1 ... 5: x[1] = 1; break; default: x[1] = 2; } }

//// ok: switch on enum class with fallthrough
enum class Op : int { add, mul };
__device__ int run(Op o, int a, int b) { switch (o) { case Op::add: a += b; [[fallthrough]]; case Op::mul: return a * b; } return 0; }
__global__ void k(int* x, Op o) { x[0] = run(o, x[1], x[2]); }
void f(int* x) { k<<<1, 1>>>(x, Op::mul); }

//// refused: enum class as an index
enum class Axis { x, y };
__global__ void k(int* x) { x[Axis::y] = 1; }

//// ok: switch with a declared variable
__global__ void k(int* x) { switch (x[0]) { case 0: int a = 3; x[1] = a; break; case 1: x[1] = 2; } }

//// refused: duplicate case
__global__ void k(int* x) { switch (x[0]) { case 1: x[1] = 1; break; case 1: x[1] = 2; } }

//// refused: switch on float
__global__ void k(float* x) { switch (x[0]) { case 1: x[1] = 1; } }

//// ok: statement expression
__global__ void k(int* x) { x[0] = ({ int a = x[1]; a * 2; }); }

//// ok: typeof
__global__ void k(float* x) { __typeof__(x[0]) a = x[1]; x[0] = a; }

//// refused: nested function
__global__ void k(int* x) { int f(int a) { return a; } x[0] = f(1); }

//// ok: VLA in host code
void f(int n) { int a[n]; a[0] = 1; }

//// ok: alloca in a kernel
__global__ void k(int* x, int n) { int* a = (int*)alloca(n * 4); a[0] = 1; x[0] = a[0]; }

//// ok: __builtin_expect and popcount
__global__ void k(int* x) { if (__builtin_expect(x[0], 1)) x[1] = __builtin_popcount(x[2]); }

//// ok: __builtin_assume and unreachable
__global__ void k(int* x) { __builtin_assume(x[0] > 0); if (x[0] < 0) __builtin_unreachable(); x[1] = 1; x = (int*)__builtin_assume_aligned(x, 16); x[2] = 1; }

//// ok: __nv_ intrinsics
__global__ void k(float* x) { x[0] = __saturatef(x[1]); x[2] = __frcp_rn(x[1]) + __fsqrt_rn(x[2]) + __fdividef(x[0], x[1]) + __powf(x[1], 2) + __tanf(x[0]) + __log2f(x[1]) + __exp10f(x[2]); }

//// ok: integer intrinsics
__global__ void k(unsigned* x) { x[0] = __popc(x[1]) + __clz(x[1]) + __ffs(x[1]) + __brev(x[1]) + __byte_perm(x[0], x[1], 0x3210) + __umulhi(x[0], x[1]) + __mul24(1, 2) + __sad(1, 2, 3) + __funnelshift_l(1, 2, 3) + __vadd2(x[0], x[1]) + __dp4a(x[0], x[1], x[2]) + __vmaxu4(x[0], x[1]) + __rhadd(1, 2); }

//// ok: casts intrinsics
__global__ void k(float* x, double* y) { x[0] = __int_as_float(__float_as_int(x[1])) + __uint_as_float(3) + __double2float_rz(y[0]) + __int2float_rd(3); y[0] = __hiloint2double(1, 2) + __longlong_as_double(3) + __double2hiint(y[1]); }

//// ok: warp reduce and match
__global__ void k(int* x) { x[0] = __reduce_add_sync(~0u, x[1]) + __reduce_max_sync(~0u, x[1]) + __match_any_sync(~0u, x[1]); int p; x[1] = __match_all_sync(~0u, x[0], &p) + p + __activemask() + __all_sync(~0u, 1); }

//// refused: reduce of a float
__global__ void k(float* x) { x[0] = __reduce_add_sync(~0u, x[1]); }

//// refused: reduce of a long long
__global__ void k(long long* x) { x[0] = __reduce_add_sync(~0u, x[1]); }

//// ok: syncthreads variants
__global__ void k(int* x) { x[0] = __syncthreads_count(x[1]) + __syncthreads_and(1) + __syncthreads_or(0); __threadfence_block(); __threadfence(); __threadfence_system(); __nanosleep(10); __syncwarp(); }

//// ok: atomics of all kinds
__global__ void k(int* x, unsigned* u, unsigned long long* l, float* f, double* d) { atomicSub(x, 1); atomicMin(x, 1); atomicMax(u, 2u); atomicInc(u, 5); atomicDec(u, 5); atomicAnd(x, 1); atomicOr(l, 1ull); atomicXor(u, 1u); atomicExch(f, 1.f); atomicAdd(d, 1.0); atomicCAS(l, 1ull, 2ull); atomicAdd(l, 1ull); atomicMin(l, 3ull); atomicAdd_system(x, 1); }

//// ok: atomicAdd of a float4
__global__ void k(float4* x, float2* y) { atomicAdd(x, make_float4(1, 2, 3, 4)); atomicAdd(y, make_float2(1, 2)); }

//// refused: atomicExch of a double
__global__ void k(double* x) { atomicExch(x, 1.0); }

//// refused: atomicAdd of a char
__global__ void k(char* x) { atomicAdd(x, 1); }

//// refused: atomicInc without a limit
__global__ void k(unsigned* x) { atomicInc(x); }

//// ok: __nv_atomic
__global__ void k(int* x) { __nv_atomic_fetch_add(x, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE); }

//// refused: gcc atomics
__global__ void k(int* x) { __sync_fetch_and_add(x, 1); }

//// refused: std atomic in a kernel
#include <atomic>
__global__ void k(std::atomic<int>* x) { x->fetch_add(1); }

//// ok: load and store hints
__global__ void k(float* x, float4* y) { x[0] = __ldg(x + 1) + __ldcs(x + 2) + __ldcg(x + 3) + __ldca(x) + __ldcv(x) + __ldlu(x); __stcs(x, 1.f); __stwt(x, 1.f); float4 v = __ldg(y); __stcg(y, v); }

//// refused: __ldg of a struct
struct P { float a, b; };
__global__ void k(const P* p, float* x) { x[0] = __ldg(p).a; }

//// ok: restrict pointers
__global__ void k(const float* __restrict__ a, float* __restrict__ b, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) b[i] = a[i]; }

//// refused: restrict of C
__global__ void k(const float* restrict a, float* restrict b) { b[0] = a[0]; }

//// refused: restrict on a number
__global__ void k(float* x, int __restrict__ n) { x[0] = n; }

//// ok: kernel with reference parameter
__global__ void k(float* x, const int& n) { x[0] = n; }
void f(float* x) { k<<<1, 1>>>(x, 3); }

//// refused: kernel with rvalue reference
__global__ void k(float* x, int&& n) { x[0] = n; }

//// refused: kernel with std vector
#include <vector>
__global__ void k(std::vector<float> v) { v[0] = 1; }

//// ok: kernel with std array by value
#include <array>
__global__ void k(float* x, std::array<float, 4> a) { x[0] = a[1]; }
void f(float* x) { k<<<1, 1>>>(x, {1, 2, 3, 4}); }

//// ok: kernel with a C array parameter
__global__ void k(float x[], int n[3]) { x[0] = n[1]; }

//// refused: kernel returning int
__global__ int k(float* x) { return 1; }

//// ok: kernel static inline noinline
static __global__ void a(float* x) { x[0] = 1; }
inline __global__ void b(float* x) { x[0] = 1; }
__global__ static void c(float* x) { x[0] = 1; }

//// refused: kernel in a class
struct S { __global__ void k(float* x) { x[0] = 1; } };

//// refused: static kernel in a class
struct S { static __global__ void k(float* x) { x[0] = 1; } };
void f(float* x) { S::k<<<1, 1>>>(x); }

//// ok: friend kernel
class S { int v; friend __global__ void k(S*); };
__global__ void k(S* s) { s->v = 1; }

//// refused: kernel with ellipsis
__global__ void k(float* x, ...) { x[0] = 1; }

//// ok: variadic template kernel
template <class... T> __global__ void k(float* x, T... v) { x[0] = (v + ...); }
void f(float* x) { k<<<1, 1>>>(x, 1, 2.f, 3.0); }

//// ok: kernel pointer array
__global__ void a(float* x) { x[0] = 1; }
__global__ void b(float* x) { x[0] = 2; }
void f(float* x, int i) { void (*t[])(float*) = {a, b}; t[i]<<<1, 1>>>(x); }

//// ok: kernel as template argument
__global__ void a(float* x) { x[0] = 1; }
template <void (*K)(float*)> void go(float* x) { K<<<1, 1>>>(x); }
void f(float* x) { go<a>(x); }

//// ok: auto kernel
__global__ void a(float* x) { x[0] = 1; }
void f(float* x) { auto k = a; k<<<1, 1>>>(x); auto* p = &a; (*p)<<<1, 1>>>(x); }

//// ok: launch in a ternary
__global__ void a(float* x) { x[0] = 1; }
__global__ void b(float* x) { x[0] = 1; }
void f(float* x, bool t) { (t ? a : b)<<<1, 1>>>(x); }

//// ok: launch in an expression
__global__ void a(float* x) { x[0] = 1; }
void f(float* x, bool t) { t ? a<<<1, 1>>>(x) : a<<<1, 2>>>(x); if (t) a<<<1, 1>>>(x), a<<<1, 1>>>(x); }

//// ok: launch bounds with expressions
constexpr int B = 128;
__global__ void __launch_bounds__(B * 2, 16 / 4) a(float* x) { x[0] = 1; }
__launch_bounds__(B) __global__ void b(float* x) { x[0] = 1; }
template <int N> __global__ void __launch_bounds__(N) c(float* x) { x[0] = 1; }
void f(float* x) { c<64><<<1, 64>>>(x); }

//// ok: launch bounds three
__global__ void __launch_bounds__(256, 2, 4) a(float* x) { x[0] = 1; }

//// refused: launch bounds after the parameters
__global__ void a(float* x) __launch_bounds__(256) { x[0] = 1; }

//// refused: launch bounds on a device function
__device__ void __launch_bounds__(256) a(float* x) { x[0] = 1; }

//// ok: launch bounds too many
__global__ void __launch_bounds__(2048) a(float* x) { x[0] = 1; }

//// ok: maxnreg
__global__ void __maxnreg__(32) a(float* x) { x[0] = 1; }

//// refused: maxnreg and launch bounds
__global__ void __launch_bounds__(256, 2) __maxnreg__(32) a(float* x) { x[0] = 1; }

//// ok: forceinline and noinline
__forceinline__ __device__ int a() { return 1; }
__device__ __noinline__ int b() { return 1; }
static __device__ __forceinline__ int c() { return a() + b(); }
__global__ void k(int* x) { x[0] = c(); }

//// refused: forceinline without device
__forceinline__ int a() { return 1; }
__global__ void k(int* x) { x[0] = a(); }

//// ok: grid constant
struct P { int a[4]; };
__global__ void k(const __grid_constant__ P p, int* x) { const int* q = &p.a[1]; x[0] = *q; }

//// refused: grid constant not const
struct P { int a[4]; };
__global__ void k(__grid_constant__ P p, int* x) { x[0] = p.a[1]; }
