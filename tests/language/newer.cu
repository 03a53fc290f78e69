// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: launch behind if constexpr
template <int B> __global__ void k(float* x) { x[threadIdx.x] = B; }
template <bool Big> void f(float* x) { if constexpr (Big) k<256><<<1, 256>>>(x); else k<32><<<1, 32>>>(x); }
void g(float* x) { f<true>(x); f<false>(x); }

//// ok: launch behind if constexpr of a wrong kernel not taken
template <class T> __global__ void k(T* x) { x[threadIdx.x] = 1; }
template <class T> void f(T* x) { if constexpr (sizeof(T) == 4) k<T><<<1, 32>>>(x); else k<T><<<1, 32>>>(x, 3); }
void g(float* x) { f(x); }

//// ok: designated initialisers as launch argument
struct P { float* x; int n; };
__global__ void k(P p) { if (threadIdx.x < p.n) p.x[threadIdx.x] = 1; }
void f(float* x, int n) { k<<<1, 32>>>({.x = x, .n = n}); k<<<1, 32>>>(P{.x = x, .n = n}); }

//// ok: designated initialisers with calls and braces
struct D { int a, b; };
struct P { float* x; D d; int n; };
int half(int n) { return n / 2; }
__global__ void k(P p) { if (threadIdx.x < p.n) p.x[threadIdx.x] = p.d.a; }
void f(float* x, int n) { k<<<1, 32>>>(P{.x = x, .d = {1, 2}, .n = half(n)}); k<<<1, 32>>>({.x = x + half(2), .d = {half(n), 2}, .n = n}); k<<<1, 32>>>(P{.x = x, .d = {.a = 1, .b = half(1)}, .n = n}); }

//// refused: clockRate of a property
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.clockRate; }

//// refused: memoryClockRate of a property
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.memoryClockRate; }

//// refused: more that CUDA 13 took from the properties
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.deviceOverlap; }

//// refused: kernelExecTimeoutEnabled of a property
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.kernelExecTimeoutEnabled; }

//// refused: computeMode of a property
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.computeMode; }

//// refused: singleToDoublePrecisionPerfRatio of a property
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.singleToDoublePrecisionPerfRatio; }

//// refused: cooperativeMultiDeviceLaunch of a property
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.cooperativeMultiDeviceLaunch; }

//// refused: maxTexture1DLinear of a property
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.maxTexture1DLinear; }

//// ok: properties that are there
void f(int* x) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); *x = prop.multiProcessorCount + prop.sharedMemPerBlock + prop.warpSize + prop.maxThreadsPerBlock + prop.major + prop.minor + prop.totalGlobalMem + prop.regsPerBlock + prop.l2CacheSize + prop.maxGridSize[0] + prop.maxThreadsDim[1] + prop.memoryBusWidth + prop.asyncEngineCount + prop.concurrentKernels + prop.managedMemory + prop.unifiedAddressing + prop.maxThreadsPerMultiProcessor + prop.sharedMemPerMultiprocessor + prop.sharedMemPerBlockOptin + prop.cooperativeLaunch + prop.ECCEnabled + prop.integrated + prop.canMapHostMemory + prop.pciBusID + prop.name[0] + prop.totalConstMem + prop.regsPerMultiprocessor + prop.concurrentManagedAccess + prop.pageableMemoryAccess + prop.hostRegisterSupported + prop.persistingL2CacheMaxSize + prop.accessPolicyMaxWindowSize + prop.maxBlocksPerMultiProcessor + prop.reservedSharedMemPerBlock + prop.clusterLaunch + prop.isMultiGpuBoard + prop.uuid.bytes[0]; }

//// ok: attribute for the clock rate
void f(int* x) { cudaDeviceGetAttribute(x, cudaDevAttrClockRate, 0); cudaDeviceGetAttribute(x, cudaDevAttrMemoryClockRate, 0); }

//// refused: cudaThreadSynchronize
void f() { cudaThreadSynchronize(); }

//// refused: cudaMemPrefetchAsync old signature
void f(float* x, size_t n) { cudaMemPrefetchAsync(x, n, 0); }

//// refused: cudaMemAdvise old signature
void f(float* x, size_t n) { cudaMemAdvise(x, n, cudaMemAdviseSetReadMostly, 0); }

//// ok: cudaOccupancy functions
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { int n, b; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 0); cudaOccupancyMaxPotentialBlockSize(&n, &b, k, 0, 0); k<<<n, b>>>(x); }

//// ok: cudaLaunchKernelEx with attributes
template <class T> __global__ void k(T* x, int n) { x[0] = n; }
void f(float* x, cudaStream_t s) { cudaLaunchConfig_t c{}; c.gridDim = dim3(2); c.blockDim = dim3(32); c.stream = s; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = 2; a[0].val.clusterDim.y = 1; a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1; cudaLaunchKernelEx(&c, k<float>, x, 3); }

//// refused: cudaLaunchKernelEx wrong arguments
__global__ void k(float* x, int n) { x[0] = n; }
void f(float* x) { cudaLaunchConfig_t c{}; c.gridDim = 2; c.blockDim = 32; cudaLaunchKernelEx(&c, k, x); }

//// ok: cudaLaunchKernel with a lambda's address
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { void* a[] = {&x}; cudaLaunchKernel((void*)k, dim3(1), dim3(1), a, 0, 0); cudaLaunchKernel(k, 1, 1, a, 0, nullptr); }

//// refused: extended lambda given to a kernel
template <class F> __global__ void each(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
void f(float* x, int n) { each<<<1, 32>>>(n, [=] __device__ (int i) { x[i] = i; }); }

//// refused: lambda without device given to a kernel
template <class F> __global__ void each(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
void f(float* x, int n) { each<<<1, 32>>>(n, [=](int i) { x[i] = i; }); }

//// refused: host device lambda
template <class F> __global__ void each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
void f(float* x, int n) { auto l = [=] __host__ __device__ (int i) { x[i] = i; }; each<<<1, 32>>>(n, l); }

//// ok: functor given to a kernel
struct Scale { float a; __device__ float operator()(float v) const { return a * v; } };
template <class F> __global__ void map(float* x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }
void f(float* x) { map<<<1, 32>>>(x, Scale{2}); }

//// refused: functor without device
struct Scale { float a; float operator()(float v) const { return a * v; } };
template <class F> __global__ void map(float* x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }
void f(float* x) { map<<<1, 32>>>(x, Scale{2}); }

//// ok: generic lambda in a kernel with a pack
template <class... T> __device__ float sum(T... v) { return (v + ... + 0); }
__global__ void k(float* x) { auto f = [](auto... v) { return sum(v...); }; x[0] = f(1, 2.f, 3.0); }

//// ok: lambda captures shared memory by reference
__global__ void k(float* x) { __shared__ float s[32]; auto put = [&](int i, float v) { s[i] = v; }; put(threadIdx.x, x[threadIdx.x]); __syncthreads(); x[threadIdx.x] = s[31 - threadIdx.x]; }

//// ok: lambda with captured structured binding
__global__ void k(float* x) { struct { int a, b; } p{1, 2}; auto [a, b] = p; auto f = [=] { return a + b; }; x[0] = f(); }

//// ok: lambda with captured structured binding by hand
__global__ void k(float* x) { struct { int a, b; } p{1, 2}; auto [a, b] = p; auto f = [a = a, b = b] { return a + b; }; x[0] = f(); }

//// ok: template lambda
__global__ void k(float* x) { auto f = []<class T>(T v) { return v + 1; }; x[0] = f(1.f); }

//// ok: constexpr lambda
__global__ void k(float* x) { constexpr auto sq = [](int i) constexpr { return i * i; }; float a[sq(2)]; a[threadIdx.x & 3] = 1; x[0] = a[0]; }

//// ok: recursive lambda by auto and self
__global__ void k(int* x) { auto f = [](auto self, int n) -> int { return n < 2 ? n : self(self, n - 1) + self(self, n - 2); }; x[0] = f(f, 10); }

//// ok: mutable lambda
__global__ void k(int* x) { auto next = [s = 1u]() mutable { return s = s * 1664525u + 1013904223u; }; x[0] = next(); x[1] = next(); }

//// refused: concept for a kernel
template <class T> concept Num = sizeof(T) > 1;
template <Num T> __global__ void k(T* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: requires clause
template <class T> requires (sizeof(T) == 4) __global__ void k(T* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// ok: enable_if kernel
#include <type_traits>
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> __global__ void k(T* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: enable_if kernel not enabled
#include <type_traits>
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> __global__ void k(T* x) { x[0] = 1; }
void f(int* x) { k<<<1, 1>>>(x); }

//// refused: consteval and constinit
consteval int sq(int n) { return n * n; }
__global__ void k(int* x) { x[0] = sq(3); }

//// ok: likely attribute
__global__ void k(int* x, int n) { if (threadIdx.x < n) [[likely]] x[threadIdx.x] = 1; }

//// ok: nodiscard maybe unused
[[nodiscard]] __device__ int f(int a) { return a; }
__global__ void k([[maybe_unused]] int* x, int n) { [[maybe_unused]] int y = f(n); x[0] = 1; }

//// ok: range for with initialiser
__global__ void k(int* x) { for (int a[3] = {1, 2, 3}; int v : a) x[0] += v; }

//// refused: spaceship
#include <compare>
struct P { int a; auto operator<=>(const P&) const = default; };
__global__ void k(int* x) { x[0] = P{1} < P{2}; }

//// refused: char8_t
__global__ void k(int* x) { char8_t c = u8'a'; x[0] = c; }

//// ok: digit separators and binary
__global__ void k(int* x) { x[0] = 0b1010'1010 + 1'000'000 + 0x1p3; }

//// ok: user-defined literal
__host__ __device__ constexpr unsigned long long operator""_KB(unsigned long long n) { return n * 1024; }
__global__ void k(int* x) { __shared__ char s[1_KB]; s[threadIdx.x] = 1; x[0] = sizeof s; }

//// refused: user-defined literal of the host
unsigned long long operator""_KB(unsigned long long n) { return n * 1024; }
__global__ void k(int* x) { x[0] = 4_KB; }

//// ok: raw string in printf
#include <cstdio>
__global__ void k() { printf(R"(%d "x"
)", threadIdx.x); }

//// ok: nested namespaces and inline namespace
namespace a::b { inline namespace v1 { __device__ int f() { return 1; } __global__ void k(int* x) { x[0] = f(); } } }
void g(int* x) { a::b::k<<<1, 1>>>(x); a::b::v1::k<<<1, 1>>>(x); ::a::b::k<<<1, 1>>>(x); }

//// ok: anonymous namespace
namespace { __device__ int f() { return 1; } __global__ void k(int* x) { x[0] = f(); } __constant__ int c[4]; __device__ int d; }
void g(int* x) { k<<<1, 1>>>(x); cudaMemcpyToSymbol(c, x, 16); }

//// ok: using a kernel from a namespace
namespace a { template <int N> __global__ void k(int* x) { x[0] = N; } }
using a::k;
void g(int* x) { k<3><<<1, 1>>>(x); using namespace a; k<4><<<1, 1>>>(x); }
