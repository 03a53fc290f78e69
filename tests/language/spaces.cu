// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: extern shared of two types
extern __shared__ float s[];
__global__ void a(float* x) { s[threadIdx.x] = x[0]; }
__global__ void b(float* x) { extern __shared__ double t[]; t[threadIdx.x] = x[0]; }

//// refused: extern shared of two types with one name
__global__ void a(float* x) { extern __shared__ float s[]; s[threadIdx.x] = x[0]; }
__global__ void b(float* x) { extern __shared__ double s[]; s[threadIdx.x] = x[0]; }

//// refused: extern shared of a template type
template <class T> __global__ void a(T* x) { extern __shared__ T s[]; s[threadIdx.x] = x[0]; }
void f(float* x, double* y) { a<<<1, 32, 128>>>(x); a<<<1, 32, 256>>>(y); }

//// ok: extern shared of a template type once
template <class T> __global__ void a(T* x) { extern __shared__ T s[]; s[threadIdx.x] = x[0]; }
void f(float* x) { a<<<1, 32, 128>>>(x); }

//// ok: extern shared bytes recast
template <class T> __global__ void a(T* x) { extern __shared__ __align__(16) unsigned char raw[]; T* s = reinterpret_cast<T*>(raw); s[threadIdx.x] = x[0]; int* i = (int*)(s + blockDim.x); i[0] = 1; }
void f(float* x, double* y) { a<<<1, 32, 512>>>(x); a<<<1, 32, 512>>>(y); }

//// refused: extern shared with alignas
__global__ void a(float* x) { extern __shared__ alignas(16) float s[]; s[threadIdx.x] = x[0]; }

//// ok: alignas before extern shared
__global__ void a(float* x) { alignas(16) extern __shared__ float s[]; s[threadIdx.x] = x[0]; }

//// ok: shared with alignas in middle
__global__ void a(float* x) { __shared__ alignas(16) float s[32]; alignas(128) __shared__ float t[32]; s[threadIdx.x] = t[threadIdx.x] = x[0]; }

//// ok: extern shared with a size
__global__ void a(float* x) { extern __shared__ float s[32]; s[threadIdx.x] = x[0]; }

//// ok: extern shared that is no array
__global__ void a(float* x) { extern __shared__ float s; s = x[0]; }

//// ok: extern shared two dimensional
__global__ void a(float* x) { extern __shared__ float s[][32]; s[threadIdx.y][threadIdx.x] = x[0]; }

//// refused: shared array without extern and size
__global__ void a(float* x) { __shared__ float s[]; s[threadIdx.x] = x[0]; }

//// ok: shared struct with constructor
struct S { float v; __device__ S() { v = 0; } };
__global__ void a(float* x) { __shared__ S s; x[0] = s.v; }

//// ok: shared struct with default member value
struct S { float v = 0; };
__global__ void a(float* x) { __shared__ S s; x[0] = s.v; }

//// ok: shared struct with an empty constructor
struct S { float v; __device__ S() {} };
__global__ void a(float* x) { __shared__ S s; s.v = 1; x[0] = s.v; }

//// ok: shared struct with a destructor
struct S { float v; __device__ ~S() { v = 0; } };
__global__ void a(float* x) { __shared__ S s; s.v = 1; x[0] = s.v; }

//// ok: shared union
union U { float f[32]; int i[32]; };
__global__ void a(float* x) { __shared__ U u; u.f[threadIdx.x] = x[0]; __syncthreads(); x[threadIdx.x] = u.i[threadIdx.x]; }

//// ok: shared in a loop and block scope
__global__ void a(float* x) { for (int i = 0; i < 2; ++i) { __shared__ float s[32]; s[threadIdx.x] = x[i]; __syncthreads(); x[threadIdx.x] = s[0]; __syncthreads(); } }

//// refused: shared const
__global__ void a(float* x) { const __shared__ float s[32]; x[0] = s[0]; }

//// ok: shared static
__global__ void a(float* x) { static __shared__ float s[32]; s[threadIdx.x] = 1; x[0] = s[0]; }

//// ok: shared half array
#include <cuda_fp16.h>
__global__ void a(half* x) { __shared__ half s[32][33]; __shared__ half2 t[16]; s[threadIdx.x][0] = x[0]; t[0] = __halves2half2(s[0][0], s[1][0]); x[1] = __low2half(t[0]); }

//// ok: shared reference parameter
template <int N> __device__ void fill(float (&s)[N]) { for (int i = threadIdx.x; i < N; i += blockDim.x) s[i] = 0; }
__global__ void a(float* x) { __shared__ float s[64]; fill(s); __syncthreads(); x[0] = s[0]; }

//// ok: shared pointer member
struct V { float* p; __device__ float& operator[](int i) { return p[i]; } };
__global__ void a(float* x) { __shared__ float s[64]; V v{s}; v[threadIdx.x] = 1; __syncthreads(); x[0] = v[1]; }

//// ok: shared pointer array
__global__ void a(float* x) { __shared__ float* p[2]; if (threadIdx.x < 2) p[threadIdx.x] = x + threadIdx.x; __syncthreads(); *p[threadIdx.x & 1] = 1; }

//// refused: shared auto
__global__ void a(float* x) { __shared__ auto s = 1.f; x[0] = s; }

//// refused: shared in host function
void f() { __shared__ float s[32]; s[0] = 1; }

//// ok: shared as a struct member
struct S { __shared__ float s[32]; };
__global__ void a(float* x) { S s; x[0] = s.s[0]; }

//// refused: shared array of run time size
__global__ void a(float* x, int n) { __shared__ float s[n]; s[0] = 1; x[0] = s[0]; }

//// refused: shared array of blockDim
__global__ void a(float* x) { __shared__ float s[blockDim.x]; s[0] = 1; x[0] = s[0]; }

//// ok: shared array of a const int
__global__ void a(float* x) { const int n = 32; __shared__ float s[n]; s[0] = 1; x[0] = s[0]; }

//// refused: shared array of a const int of run time
__global__ void a(float* x, int m) { const int n = m; __shared__ float s[n]; s[0] = 1; x[0] = s[0]; }

//// ok: too much shared memory
__global__ void a(float* x) { __shared__ float s[12289]; s[threadIdx.x] = 1; x[0] = s[0]; }

//// ok: shared memory exactly 48 KB
__global__ void a(float* x) { __shared__ float s[12288]; s[threadIdx.x] = 1; x[0] = s[0]; }

//// ok: shared memory of two arrays too much
__global__ void a(float* x) { __shared__ float s[8192]; __shared__ float t[8192]; s[threadIdx.x] = 1; t[0] = 1; x[0] = s[0] + t[0]; }

//// ok: constant written in kernel
__constant__ float c[4];
__global__ void a(float* x) { c[0] = x[0]; }

//// ok: constant written by host
__constant__ float c[4];
void f() { c[0] = 1; }

//// ok: constant initialised and read by host
__constant__ float c[4] = {1, 2, 3, 4};
float f() { return c[0]; }

//// refused: constant in a function
__global__ void a(float* x) { __constant__ float c[2] = {1, 2}; x[0] = c[threadIdx.x & 1]; }

//// ok: static constant in a function
__global__ void a(float* x) { static __constant__ float c[2] = {1, 2}; x[0] = c[threadIdx.x & 1]; }

//// ok: static device in a function
__global__ void a(int* x) { static __device__ int n = 0; x[0] = atomicAdd(&n, 1); }

//// ok: static local in a kernel
__global__ void a(int* x) { static int n = 3; n += 1; x[0] = n; }

//// refused: static local initialised at run time in a kernel
__global__ void a(int* x) { static int n = threadIdx.x; x[0] = n; }

//// ok: static const table in a kernel
__global__ void a(int* x) { static const int t[4] = {1, 2, 3, 4}; x[0] = t[threadIdx.x & 3]; }

//// ok: static constexpr table in a kernel
__global__ void a(int* x) { static constexpr int t[4] = {1, 2, 3, 4}; x[0] = t[threadIdx.x & 3]; }

//// ok: static local in a host device function
__host__ __device__ int next() { static int n = 0; return ++n; }
__global__ void a(int* x) { x[0] = next(); }
int f() { return next(); }

//// ok: managed variable on both sides
__managed__ int n = 3;
__global__ void a(int* x) { x[0] = ++n; }
int f() { cudaDeviceSynchronize(); return n; }

//// ok: managed array and struct
struct P { int a; float b; };
__managed__ P p[4];
__device__ __managed__ float w[8];
__global__ void a() { p[threadIdx.x].a = 1; w[0] = 2; }
void f() { p[0].b = 2; w[1] = 1; a<<<1, 4>>>(); }

//// refused: managed in a function
__global__ void a(int* x) { __managed__ int n; x[0] = n; }

//// refused: managed constant
__managed__ __constant__ int n = 3;
__global__ void a(int* x) { x[0] = n; }

//// refused: managed initialised by a call
int three() { return 3; }
__managed__ int n = three();
__global__ void a(int* x) { x[0] = n; }

//// refused: device variable initialised by a call
__host__ __device__ int three() { return 3; }
__device__ int n = three();
__global__ void a(int* x) { x[0] = n; }

//// ok: device variable initialised by a constexpr call
constexpr int three() { return 3; }
__device__ int n = three();
__global__ void a(int* x) { x[0] = n; }

//// ok: device pointer to device variable
__device__ int n = 3;
__device__ int* p = &n;
__global__ void a(int* x) { x[0] = *p; }

//// refused: device pointer to host variable
int n = 3;
__device__ int* p = &n;
__global__ void a(int* x) { x[0] = *p; }

//// ok: device reference
__device__ int n = 3;
__device__ int& r = n;
__global__ void a(int* x) { x[0] = r; }

//// ok: device array of strings
__device__ const char* names[] = {"a", "b"};
__global__ void a(char* x) { x[0] = names[threadIdx.x & 1][0]; }

//// ok: device variable template
template <class T> __device__ T zero = T(0);
__global__ void a(float* x) { x[0] = zero<float>; }

//// refused: inline device variable
inline __device__ int n = 3;
__global__ void a(int* x) { x[0] = n; }

//// refused: inline constexpr variable
inline constexpr int kN = 3;
__global__ void a(int* x) { x[0] = kN; const int* p = &kN; x[1] = *p; }

//// refused: constexpr variable by std max
#include <algorithm>
constexpr int kN = 3;
__global__ void a(int* x) { x[0] = std::max(kN, x[1]); }

//// refused: constexpr struct read in a kernel
struct C { int a; float b[2]; };
constexpr C c{1, {2, 3}};
__global__ void a(float* x) { x[0] = c.a + c.b[1]; }

//// refused: constexpr struct indexed in a kernel
struct C { int a; float b[2]; };
constexpr C c{1, {2, 3}};
__global__ void a(float* x) { x[0] = c.b[threadIdx.x & 1]; }

//// ok: constexpr device struct indexed in a kernel
struct C { int a; float b[2]; };
__device__ constexpr C c{1, {2, 3}};
__global__ void a(float* x) { x[0] = c.b[threadIdx.x & 1]; }

//// refused: static constexpr member array
struct C { static constexpr float t[2] = {1, 2}; };
__global__ void a(float* x) { x[0] = C::t[threadIdx.x & 1]; }

//// ok: static constexpr member number
template <int N> struct C { static constexpr int size = N * 2; static constexpr float pi = 3.14f; };
__global__ void a(float* x) { float t[C<4>::size]; t[threadIdx.x & 7] = C<4>::pi; x[0] = t[0]; }
