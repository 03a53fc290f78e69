// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: half arithmetic
#include <cuda_fp16.h>
__global__ void k(half* x) { half a = x[0] + x[1]; a += x[2]; x[3] = __hmul(a, x[1]); x[4] = __float2half(1.0f); x[5] = (half)2.0f; float f = x[1]; x[6] = __float2half(f); x[7] = hexp(x[0]); }

//// refused: half and float mixed
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = x[1] + 1.0f; }

//// refused: half compared with a float
#include <cuda_fp16.h>
__global__ void k(half* x) { if (x[0] > 0.5f) x[1] = 0; }

//// ok: half compared with a half
#include <cuda_fp16.h>
__global__ void k(half* x) { if (x[0] > x[1] || __hgt(x[0], x[1])) x[1] = 0; }

//// ok: half2
#include <cuda_fp16.h>
__global__ void k(half2* x) { half2 a = __hfma2(x[0], x[1], x[2]); float2 f = __half22float2(a); x[3] = __floats2half2_rn(f.x, f.y); x[4] = make_half2(__low2half(a), __high2half(a)); x[5] = x[1] * x[2]; }

//// refused: half without its header
__global__ void k(half* x) { x[0] = 1; }

//// ok: half in the host function
#include <cuda_fp16.h>
float f() { half h = __float2half(1.0f); return __half2float(h); }

//// ok: bfloat16
#include <cuda_bf16.h>
__global__ void k(__nv_bfloat16* x) { x[0] = __float2bfloat16(1.0f); float f = __bfloat162float(x[1]); x[2] = x[0] + x[1]; x[3] = f; }

//// ok: cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float* x) { cg::thread_block b = cg::this_thread_block(); auto w = cg::tiled_partition<32>(b); float v = x[b.thread_rank()]; for (int d = w.size() / 2; d; d /= 2) v += w.shfl_down(v, d); b.sync(); if (w.thread_rank() == 0) x[0] = v; }

//// ok: a tile of several warps and what is cut from it
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { __shared__ cg::block_tile_memory<256> m; auto t = cg::tiled_partition<128>(cg::this_thread_block(m)); auto u = cg::tiled_partition<32>(t); x[0] = cg::reduce(t, u.meta_group_rank(), cg::plus<unsigned>()) + t.shfl(1, 70) + t.any(1); cg::this_thread().sync(); }

//// refused: a tile as large as the one it is cut from
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); x[0] = cg::tiled_partition<8>(t).size(); }

//// refused: a ballot of several warps
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { x[0] = cg::tiled_partition<64>(cg::this_thread_block()).ballot(1); }

//// refused: labels that are no whole numbers
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float* x) { x[0] = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), x[1]).size(); }

//// ok: grid sync
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float* x) { cg::grid_group g = cg::this_grid(); x[g.thread_rank()] = 1; g.sync(); }
void f(float* x) { void* a[] = {&x}; cudaLaunchCooperativeKernel((void*)k, 1, 32, a); }

//// refused: cooperative groups in the host function
#include <cooperative_groups.h>
void f() { auto b = cooperative_groups::this_thread_block(); b.sync(); }

//// ok: cooperative groups reduce
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(float* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = cg::reduce(w, x[0], cg::plus<float>()); }

//// ok: asynchronous copies
#include <cuda_pipeline.h>
__global__ void k(const float4* x, float4* y) { __shared__ float4 a[32]; __pipeline_memcpy_async(&a[threadIdx.x], &x[threadIdx.x], 16); __pipeline_commit(); __pipeline_wait_prior(0); y[0] = a[0]; }

//// ok: the runtime of the host
void f(const float* h, int n, cudaStream_t s) { float* d; cudaMalloc(&d, n * sizeof(float)); cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice); cudaMemcpyAsync(d, h, n * 4, cudaMemcpyHostToDevice, s); cudaMemset(d, 0, 4); cudaMemsetAsync(d, 0, 4, s); cudaStreamSynchronize(s); cudaDeviceSynchronize(); cudaFree(d); }

//// refused: cudaMalloc of a pointer's value
void f(float* d) { cudaMalloc(d, 4); }

//// ok: cudaMalloc with a void cast
void f(float* d) { cudaMalloc((void**)&d, 4); cudaFree(d); }

//// refused: cudaMemcpy without a direction
void f(float* d, float* h) { cudaMemcpy(d, h, 4); }

//// refused: cudaMemcpy with a misspelt direction
void f(float* d, float* h) { cudaMemcpy(d, h, 4, cudaMemcpyHostToGpu); }

//// refused: cudaMemset with two arguments
void f(float* d) { cudaMemset(d, 0); }

//// ok: events
float f(cudaStream_t s) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); cudaEventRecord(a, s); cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); cudaEventDestroy(a); return ms; }

//// ok: device properties
int f() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int n; cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0); return p.multiProcessorCount + n; }

//// ok: error strings
#include <cstdio>
void f() { cudaError_t e = cudaGetLastError(); if (e) printf("%s %s\n", cudaGetErrorString(e), cudaGetErrorName(e)); }

//// refused: a number as an error
void f() { cudaError_t e = 3; }

//// refused: an unknown function of the runtime
void f(float* d) { cudaMallocc(&d, 4); }

//// ok: cudaFuncSetAttribute
__global__ void k(float* x) { extern __shared__ float a[]; x[0] = a[0]; }
void f() { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); }

//// ok: occupancy
__global__ void k(float* x) { x[0] = 1; }
int f() { int n, g; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 0); cudaOccupancyMaxPotentialBlockSize(&g, &n, k, 0, 0); return n; }

//// ok: occupancy of shared memory that grows with the block
__global__ void k(float* x) { extern __shared__ float a[]; x[0] = a[0]; }
size_t bytes(int threads) { return 4 * threads; }
int f() { int n, g; cudaOccupancyMaxPotentialBlockSizeVariableSMem(&g, &n, k, bytes); cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&g, &n, k, bytes, 0, cudaOccupancyDefault); return n; }

//// ok: cudaMemcpyToSymbol
__constant__ float c[3];
void f(const float* h) { cudaMemcpyToSymbol(c, h, 12); cudaMemcpyToSymbolAsync(c, h, 12, 0, cudaMemcpyHostToDevice, 0); }

//// ok: cudaGetSymbolAddress
__device__ float c[3];
void f() { void* p; cudaGetSymbolAddress(&p, c); cudaMemset(p, 0, 12); }

//// ok: integer intrinsics
__global__ void k(int* x, unsigned* u) { x[0] = __popc(u[0]) + __clz(x[1]) + __ffs(x[2]) + __brev(u[1]) + __mul24(x[1], x[2]) + __umulhi(u[0], u[1]) + __byte_perm(u[0], u[1], 0x3210); }

//// refused: __popc in the host function
int f(unsigned x) { return __popc(x); }

//// ok: casts and bits
__global__ void k(float* x, int* y) { y[0] = __float_as_int(x[0]); x[1] = __int_as_float(y[1]); y[2] = __float2int_rn(x[2]); x[3] = __int2float_rn(y[3]); }

//// ok: memory fences
__global__ void k(float* x) { x[0] = 1; __threadfence(); __threadfence_block(); x[1] = 2; }

//// refused: __threadfence in the host function
void f() { __threadfence(); }

//// ok: __prof_trigger counts for a profiler
__global__ void k(int* x) { __prof_trigger(1); __prof_trigger(*x); }

//// refused: __prof_trigger on the host
void f() { __prof_trigger(1); }

//// ok: __trap and __nanosleep
__global__ void k(float* x) { __nanosleep(100); if (x[0] < 0) __trap(); }

//// ok: INFINITY and FLT_MAX
#include <cfloat>
#include <cmath>
__global__ void k(float* x) { x[0] = -INFINITY; x[1] = FLT_MAX; x[2] = M_PI; }

//// ok: INFINITY without a header
__global__ void k(float* x) { x[0] = -INFINITY; }

//// refused: FLT_MAX without a header
__global__ void k(float* x) { x[0] = FLT_MAX; }

//// ok: INT_MAX without a header
__global__ void k(int* x) { x[0] = INT_MAX; }

//// refused: uint32_t without a header
__global__ void k(uint32_t* x) { x[0] = 3; }

//// ok: size_t and std::size_t
__global__ void k(size_t* x, std::size_t n) { x[0] = n; }

//// ok: CUDART_INF_F
#include <math_constants.h>
__global__ void k(float* x) { x[0] = CUDART_INF_F; }

//// ok: functions of C without a header
__global__ void k(float* x) { x[0] = expf(x[0]) + sqrtf(x[1]) + fabsf(x[2]) + powf(x[3], 2) + logf(x[4]) + tanhf(x[5]) + floorf(x[6]) + erff(x[7]) + exp2f(x[1]) + log2f(x[1]) + exp10f(x[2]) + sinpif(x[3]) + normcdff(x[4]); sincosf(x[0], &x[1], &x[2]); }

//// ok: abs and fabs of everything
__global__ void k(float* x, double* d, int* i) { x[0] = abs(x[0]) + fabs(x[1]); d[0] = abs(d[0]) + fabs(d[1]); i[0] = abs(i[0]); }

//// ok: fmax of an int and a float
__global__ void k(float* x, int n) { x[0] = fmax(x[0], 1) + fmaxf(n, x[1]) + pow(x[1], 2) + max(x[2], 0.0f); }

//// refused: max of a float and an int
__global__ void k(float* x) { x[0] = max(x[0], 0); }

//// ok: max of a float and a double
__global__ void k(float* x) { x[0] = max(x[0], 0.0); }

//// refused: max of an int and a long
__global__ void k(int* x, long n) { x[0] = max(x[0], n); }

//// refused: max of an int and a size_t
__global__ void k(int* x, size_t n) { x[0] = max(x[0], n); }

//// ok: max of unsigned and int
__global__ void k(int* x) { x[0] = max(threadIdx.x, 3) + min(3u, x[1]); }

//// refused: min of long long and int
__global__ void k(long long* x) { x[0] = min(x[0], 3); }

//// refused: half math on the host hsqrt
#include <cuda_fp16.h>
void f(half* a) { a[0] = hsqrt(a[0]); }

//// refused: half fma on the host
#include <cuda_fp16.h>
void f(half* a) { a[0] = __hfma(a[0], a[1], a[2]); }

//// refused: half2 math on the host
#include <cuda_fp16.h>
void f(half2* a) { a[0] = h2exp(a[0]); }

//// ok: half math in a kernel and pairs
#include <cuda_fp16.h>
__global__ void k(half* a, half2* b) { a[0] = hexp(a[0]) + hlog(a[1]) + hsqrt(a[2]) + hrsqrt(a[3]) + htanh(a[4]) + __hfma(a[0], a[1], a[2]); b[0] = h2exp(b[0]) + h2sqrt(b[1]) + __hfma2(b[0], b[1], b[2]); }

//// ok: half to int on the host
#include <cuda_fp16.h>
int f(half a) { return (int)a + __half2int_rz(a) + __half2uchar_rz(a); }

//// refused: half to int rounded on the host
#include <cuda_fp16.h>
int f(half a) { return __half2int_rn(a); }

//// ok: half to int rounded in a kernel
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(half* a, __nv_bfloat16* b, int* x) { x[0] = __half2int_rn(a[0]) + __half2int_rd(a[1]) + __half2int_ru(a[1]) + __half2int_rz(a[1]) + __half2char_rz(a[2]) + __bfloat162int_rn(b[0]) + __bfloat162uint_rz(b[1]); }

//// ok: cuda atomic bits and waits
#include <cuda/atomic>
__global__ void k(int* x) { cuda::atomic_ref<int, cuda::thread_scope_device> a(x[0]); a |= 3; a &= 1; a ^= 7; a.wait(0); a.notify_one(); a.notify_all(); __shared__ cuda::atomic<int, cuda::thread_scope_block> b; b.wait(1); b.notify_all(); b |= 1; b--; }

//// ok: double4 aligned
__global__ void k(double4_16a* p, double4_32a* q, long4_32a* l) { p[0].x = q[0].y; q[1] = make_double4_32a(1, 2, 3, 4); l[0] = make_long4_32a(1, 2, 3, 4); static_assert(alignof(double4_32a) == 32 && alignof(double4_16a) == 16); }

//// ok: const pointers from cudaMalloc
void f() { const float* d; cudaMalloc(&d, 4); const int* m; cudaMallocManaged(&m, 4); const int* h; cudaMallocHost(&h, 4); size_t p; cudaMallocPitch(&d, &p, 4, 4); }

//// ok: modf of floats
#include <cmath>
__global__ void k(float* x) { x[0] = modf(x[1], &x[2]) + std::modf(x[3], &x[4]); float s, c; sincospi(x[0], &s, &c); sincosf(x[1], &s, &c); int e; x[5] = frexp(x[1], &e) + std::frexp(x[1], &e) + ldexp(x[1], 2); }

//// refused: device properties gone in 13
void f() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int c = p.clockRate; (void)c; }

//// refused: device properties gone in 13 too
void f() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int c = p.memoryClockRate + p.deviceOverlap; (void)c; }

//// ok: what CUDA's headers bring of the C++ library
__global__ void k(float* x) { x[threadIdx.x] = 1; }
void f(float* x, int n) {
    int sizes[3] = {n, 32, 64}, same[3];
    std::copy(sizes, sizes + 3, same);
    std::fill(sizes, sizes + std::distance(sizes, sizes + 1), std::numeric_limits<int>::max());
    std::swap(sizes[0], sizes[1]);
    const bool are = std::equal(sizes, sizes + 3, same) || std::lower_bound(same, same + 3, n) == same;
    k<<<1, std::max(1, std::min(are ? 32 : 64, sizes[0]))>>>(x);
}

//// ok: nv/target chooses statements by side and architecture
#include <nv/target>
__host__ __device__ int side() { NV_IF_TARGET(NV_IS_DEVICE, (return 1;), (return 2;)) }
__host__ __device__ constexpr int one() { NV_IF_ELSE_TARGET(NV_IS_HOST, (int a = 1, b = 0; return a + b;), (return 1;)) }
__device__ int arch() { NV_DISPATCH_TARGET(NV_PROVIDES_SM_120, (return 120;), NV_PROVIDES_SM_60, (return 60;), NV_ANY_TARGET, (return 0;)) }
__global__ void k(int* x) { NV_IF_TARGET(NV_IS_DEVICE, x[0] = side() + arch();) NV_IF_TARGET(NV_IS_EXACTLY_SM_35, (x[0] = 35;)) x[1] = one(); }

//// ok: a call of the host's in the host's part of nv/target
#include <cstdlib>
#include <nv/target>
void give_up() { abort(); }
__host__ __device__ void check(bool right) { if (!right) { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (__trap();), (give_up();)) } }
__global__ void k(int* x) { check(x[0] > 0); x[1] = 1; }

//// refused: a call of the host's in the device's part of nv/target
#include <nv/target>
void give_up();
__global__ void k(int* x) { NV_IF_TARGET(NV_IS_DEVICE, (give_up();)) x[0] = 1; }

//// refused: a condition that nv/target does not know
#include <nv/target>
__global__ void k(int* x) { NV_IF_TARGET(NV_IS_GPU, (x[0] = 1;)) }

//// ok: a lock by an atomic_flag
#include <cuda/std/atomic>
__device__ cuda::std::atomic_flag lock;
__global__ void k(int* x) { while (lock.test_and_set(cuda::std::memory_order_acquire)) {} x[0] += 1; lock.clear(cuda::std::memory_order_release); }

//// refused: an atomic_flag outside of cuda::std
#include <cuda/atomic>
__device__ cuda::atomic_flag lock;

//// ok: barriers of C's names
#include <cuda_awbarrier_primitives.h>
__global__ void k(int* x) {
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0) __mbarrier_init(&bar, blockDim.x);
    __syncthreads();
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token)) {}
    token = __mbarrier_arrive(&bar);
    while (!__mbarrier_try_wait(&bar, token, 1000)) {}
    __barrier_sync(0);
    __barrier_sync_count(1, 32);
    if (threadIdx.x == 0) __mbarrier_inval(&bar);
    x[threadIdx.x] = 1;
}

//// refused: a barrier of C's names in host code
#include <cuda_awbarrier_primitives.h>
void f() { __barrier_sync(0); }

//// ok: a pointer with a wish for the caches
#include <cuda/annotated_ptr>
using In = cuda::annotated_ptr<const int, cuda::access_property::persisting>;
__global__ void k(In in, cuda::annotated_ptr<int, cuda::access_property> out) { out[threadIdx.x] = in[threadIdx.x] + *in; }
void f(const int* x, int* z) {
    k<<<1, 32>>>(In{x}, cuda::annotated_ptr<int, cuda::access_property>{z, cuda::access_property::streaming{}});
}

//// refused: a pointer with a wish that there is not
#include <cuda/annotated_ptr>
__global__ void k(cuda::annotated_ptr<int, cuda::access_property::forever> out) { out[threadIdx.x] = 1; }

//// ok: atomics of 16 bytes
struct alignas(16) Pair { unsigned long long a, b; };
__global__ void k(Pair* p) { p[1] = atomicCAS(p, p[0], Pair{1, 2}); p[2] = atomicExch(p, Pair{3, 4}); p[3] = atomicExch_block(p, p[1]); }

//// refused: an atomic of 16 bytes that lie at a multiple of eight
struct Pair { unsigned long long a, b; };
__global__ void k(Pair* p) { p[1] = atomicCAS(p, p[0], Pair{1, 2}); }

//// refused: an atomic sum of 16 bytes
struct alignas(16) Pair { unsigned long long a, b; };
__global__ void k(Pair* p) { atomicAdd(p, Pair{1, 2}); }

//// ok: placement behind a header of libcu++'s
#include <cuda/std/array>
struct S { int a; __device__ S(int a) : a(a) {} };
__global__ void k(S* p) { new (p) S(3); }

//// refused: placement behind the header for half
#include <cuda_fp16.h>
struct S { int a; __device__ S(int a) : a(a) {} };
__global__ void k(S* p) { new (p) S(3); }

//// refused: placement without any header
struct S { int a; __device__ S(int a) : a(a) {} };
__global__ void k(S* p) { new (p) S(3); }

//// ok: cuda::std::expected
#include <cuda/std/expected>
__device__ cuda::std::expected<int, char> halve(int x) { if (x & 1) return cuda::std::unexpected<char>('o'); return x / 2; }
__global__ void k(int* x) { auto r = halve(x[0]); x[1] = r ? *r : r.error(); }

//// refused: an error of another type than the expected one
#include <cuda/std/expected>
struct Fault { int code; };
__device__ cuda::std::expected<int, Fault> halve(int x) { if (x & 1) return cuda::std::unexpected<const char*>("odd"); return x / 2; }
__global__ void k(int* x) { x[1] = *halve(x[0]); }

//// refused: cuda::std::expected as its value
#include <cuda/std/expected>
__device__ cuda::std::expected<int, char> halve(int x) { return x / 2; }
__global__ void k(int* x) { int half = halve(x[0]); x[1] = half; }

//// ok: cuda::atomic of a byte, a structure and a pointer
#include <cuda/atomic>
struct Pair { short a, b; };
__global__ void k(int* x) { __shared__ cuda::atomic<bool, cuda::thread_scope_block> f; __shared__ cuda::atomic<Pair> p; __shared__ cuda::atomic<int*> q; f = true; p.store({1, 2}); q = x; *q.fetch_add(1) = p.load().b + f; cuda::std::atomic_int n{0}; n++; }

//// ok: sizes and places in CUDA's structures
#include <cstddef>
static_assert(sizeof(cudaDeviceProp) == 1008 && offsetof(cudaDeviceProp, multiProcessorCount) == 384 && offsetof(cudaDeviceProp, clusterLaunch) == 748 && offsetof(cudaDeviceProp, totalGlobalMem) == 288);
static_assert(sizeof(cudaFuncAttributes) == 144 && offsetof(cudaFuncAttributes, numRegs) == 28 && sizeof(cudaLaunchConfig_t) == 56 && sizeof(cudaLaunchAttribute) == 72);
static_assert(sizeof(cudaExtent) == 24 && sizeof(cudaPitchedPtr) == 32 && sizeof(dim3) == 12 && sizeof(cudaUUID_t) == 16 && sizeof(cudaAccessPolicyWindow) == 32);
__global__ void k(int* x) { x[0] = sizeof(cudaPos); }
