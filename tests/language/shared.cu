// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: a shared array
__global__ void k(float* x) { __shared__ float a[32]; a[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[0] = a[1]; }

//// ok: a shared array of two dimensions
__global__ void k(float* x) { __shared__ float a[32][33]; a[threadIdx.y][threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[0] = a[1][2]; }

//// refused: a shared array of a run-time size
__global__ void k(float* x, int n) { __shared__ float a[n]; a[0] = x[0]; x[1] = a[0]; }

//// refused: a shared array as large as the block
__global__ void k(float* x) { __shared__ float a[blockDim.x]; a[0] = x[0]; x[1] = a[0]; }

//// ok: a shared variable
__global__ void k(float* x) { __shared__ float a; if (threadIdx.x == 0) a = x[0]; __syncthreads(); x[threadIdx.x] = a; }

//// refused: a shared variable with a value
__global__ void k(float* x) { __shared__ float a = 0; x[threadIdx.x] = a; }

//// refused: a shared array with values
__global__ void k(float* x) { __shared__ float a[2] = {1, 2}; x[threadIdx.x] = a[0]; }

//// refused: a shared array with empty braces
__global__ void k(float* x) { __shared__ float a[2] = {}; x[threadIdx.x] = a[0]; }

//// refused: a shared variable in the host function
void f() { __shared__ float a[2]; a[0] = 1; }

//// ok: a shared variable outside of functions
__shared__ float a[32];
__global__ void k(float* x) { a[threadIdx.x] = x[0]; x[1] = a[0]; }

//// ok: extern shared
extern __shared__ float a[];
__global__ void k(float* x) { a[threadIdx.x] = x[0]; x[1] = a[0]; }

//// ok: extern shared in the kernel
__global__ void k(float* x) { extern __shared__ float a[]; a[threadIdx.x] = x[0]; x[1] = a[0]; }

//// refused: extern shared with another type in each kernel
__global__ void k(float* x) { extern __shared__ float a[]; a[0] = x[0]; x[1] = a[0]; }
__global__ void h(int* x) { extern __shared__ int a[]; a[0] = x[0]; x[1] = a[0]; }

//// ok: extern shared with another name in each kernel
__global__ void k(float* x) { extern __shared__ float a[]; a[0] = x[0]; x[1] = a[0]; }
__global__ void h(int* x) { extern __shared__ int b[]; b[0] = x[0]; x[1] = b[0]; }

//// refused: extern shared in a template
template <class T> __global__ void k(T* x) { extern __shared__ T a[]; a[0] = x[0]; x[1] = a[0]; }
void f(float* x, double* y) { k<<<1, 1, 8>>>(x); k<<<1, 1, 8>>>(y); }

//// ok: extern shared in a template with one type
template <class T> __global__ void k(T* x) { extern __shared__ T a[]; a[0] = x[0]; x[1] = a[0]; }
void f(float* x) { k<<<1, 1, 8>>>(x); }

//// ok: extern shared in a template and in a kernel, with one type
template <class T> __global__ void k(T* x) { extern __shared__ T a[]; a[0] = x[0]; x[1] = a[0]; }
__global__ void h(float* x) { extern __shared__ float a[]; a[0] = x[0]; x[1] = a[0]; }
void f(float* x) { k<<<1, 1, 8>>>(x); h<<<1, 1, 8>>>(x); }

//// refused: extern shared in a template and in a kernel, with two types
template <class T> __global__ void k(T* x) { extern __shared__ T a[]; a[0] = x[0]; x[1] = a[0]; }
__global__ void h(int* x) { extern __shared__ int a[]; a[0] = x[0]; x[1] = a[0]; }
void f(float* x, int* y) { k<<<1, 1, 8>>>(x); h<<<1, 1, 8>>>(y); }

//// ok: extern shared in two templates with one type
template <class T> __global__ void k(T* x) { extern __shared__ T a[]; a[0] = x[0]; x[1] = a[0]; }
template <class U> __global__ void h(U* x) { extern __shared__ U a[]; a[0] = x[0]; x[1] = a[0]; }
void f(float* x) { k<<<1, 1, 8>>>(x); h<<<1, 1, 8>>>(x); }

//// refused: extern shared in two templates with two types
template <class T> __global__ void k(T* x) { extern __shared__ T a[]; a[0] = x[0]; x[1] = a[0]; }
template <class U> __global__ void h(U* x) { extern __shared__ U a[]; a[0] = x[0]; x[1] = a[0]; }
void f(float* x, int* y) { k<<<1, 1, 8>>>(x); h<<<1, 1, 8>>>(y); }

//// ok: extern shared of a type with two names
using real = float;
__global__ void k(float* x) { extern __shared__ float a[]; a[0] = x[0]; x[1] = a[0]; }
__global__ void h(real* x) { extern __shared__ real a[]; a[0] = x[0]; x[1] = a[0]; }

//// ok: extern shared with an alignment
__global__ void k(float4* x) { extern __shared__ __align__(16) unsigned char raw[]; float4* a = reinterpret_cast<float4*>(raw); a[0] = x[0]; x[1] = a[0]; }

//// refused: extern shared with alignas
__global__ void k(float4* x) { extern __shared__ alignas(16) unsigned char raw[]; float4* a = (float4*)raw; a[0] = x[0]; x[1] = a[0]; }

//// ok: alignas before extern shared
__global__ void k(float4* x) { alignas(16) extern __shared__ unsigned char raw[]; float4* a = (float4*)raw; a[0] = x[0]; x[1] = a[0]; }

//// ok: shared with alignas
__global__ void k(float4* x) { __shared__ alignas(16) float a[32]; a[0] = x[0].x; x[1] = *(float4*)a; }

//// ok: alignas before shared
__global__ void k(float4* x) { alignas(16) __shared__ float a[32]; a[0] = x[0].x; x[1] = *(float4*)a; }

//// ok: shared with __align__
__global__ void k(float4* x) { __shared__ __align__(16) float a[32]; __align__(16) __shared__ float b[4]; a[0] = x[0].x + b[0]; x[1] = *(float4*)a; }

//// ok: extern shared without brackets
__global__ void k(float* x) { extern __shared__ float a; x[1] = a; }

//// ok: extern shared as a pointer
__global__ void k(float* x) { extern __shared__ float* a; x[1] = a[0]; }

//// ok: extern shared with a size
__global__ void k(float* x) { extern __shared__ float a[32]; x[1] = a[0]; }

//// refused: shared without extern and size
__global__ void k(float* x) { __shared__ float a[]; x[1] = a[0]; }

//// ok: static shared
__global__ void k(float* x) { static __shared__ float a[32]; a[0] = x[0]; x[1] = a[0]; }

//// ok: shared in a device function
__device__ float sum(float x) { __shared__ float a[32]; a[threadIdx.x] = x; __syncthreads(); return a[0]; }
__global__ void k(float* x) { x[0] = sum(x[1]); }

//// refused: shared in a function of both sides
__host__ __device__ float sum(float x) { __shared__ float a[32]; a[0] = x; return a[0]; }
__global__ void k(float* x) { x[0] = sum(x[1]); }

//// ok: shared in a block of a loop
__global__ void k(float* x) { for (int i = 0; i < 3; ++i) { __shared__ float a[32]; a[threadIdx.x] = x[i]; __syncthreads(); x[0] += a[0]; __syncthreads(); } }

//// ok: a shared struct
struct S { int n; float v[3]; };
__global__ void k(float* x) { __shared__ S s; s.n = 1; x[0] = s.v[s.n]; }

//// ok: a shared struct with a constructor
struct S { int n; __device__ S() : n(3) {} };
__global__ void k(float* x) { __shared__ S s; x[0] = s.n; }

//// ok: a shared struct with a default value
struct S { int n = 3; };
__global__ void k(float* x) { __shared__ S s; x[0] = s.n; }

//// ok: a shared array of float4
__global__ void k(float4* x) { __shared__ float4 a[32]; a[threadIdx.x] = x[0]; x[1] = a[0]; }

//// ok: a shared array of half
#include <cuda_fp16.h>
__global__ void k(half* x) { __shared__ half a[32]; __shared__ half2 b[4]; a[threadIdx.x] = x[0]; b[0] = __half2half2(x[1]); x[1] = a[0] + b[1].x; }

//// ok: a shared array of dim3
__global__ void k(int* x) { __shared__ dim3 a[32]; x[1] = a[0].x; }

//// ok: several shared variables in one declaration
__global__ void k(float* x) { __shared__ float a[32], b[32], c; a[0] = x[0]; b[0] = 1; c = 3; x[1] = a[0] + b[0] + c; }

//// ok: too much shared memory
__global__ void k(float* x) { __shared__ float a[16384]; a[threadIdx.x] = x[0]; __syncthreads(); x[1] = a[x[2] > 0 ? 3 : 4]; }

//// ok: 48 KB of shared memory
__global__ void k(float* x) { __shared__ float a[12288]; a[threadIdx.x] = x[0]; __syncthreads(); x[1] = a[x[2] > 0 ? 3 : 4]; }

//// ok: a shared pointer
__global__ void k(float* x) { __shared__ float* p; p = x; __syncthreads(); p[threadIdx.x] = 1; }

//// ok: a pointer to shared memory
__global__ void k(float* x) { __shared__ float a[32]; float* p = a + 3; p[0] = 1; x[0] = a[3]; }

//// ok: a reference to a shared array as a parameter
__device__ float get(float (&a)[32]) { return a[1]; }
__global__ void k(float* x) { __shared__ float a[32]; a[threadIdx.x] = 1; x[0] = get(a); }

//// ok: shared as a parameter
__device__ float get(__shared__ float* a) { return a[1]; }

//// ok: shared as a member
struct S { __shared__ float a[32]; };

//// refused: __shared on its own
__global__ void k(float* x) { __shared float a[32]; x[0] = a[1]; }

//// ok: a shared array sized by a template argument
template <int N> __global__ void k(float* x) { __shared__ float a[N][N + 1]; a[threadIdx.y][threadIdx.x] = x[0]; __syncthreads(); x[1] = a[0][1]; }
void f(float* x) { k<32><<<1, 32>>>(x); }

//// ok: a shared array sized by a constexpr
constexpr int kTile = 32;
__global__ void k(float* x) { constexpr int kRow = kTile + 1; __shared__ float a[kTile * kRow]; a[threadIdx.x] = x[0]; __syncthreads(); x[1] = a[0]; }

//// refused: a shared array sized by a plain int of the host
int tile = 32;
__global__ void k(float* x) { __shared__ float a[tile]; a[threadIdx.x] = x[0]; x[1] = a[0]; }

//// ok: shared volatile
__global__ void k(float* x) { volatile __shared__ float a[32]; __shared__ volatile float b[32]; a[threadIdx.x] = x[0]; b[0] = 1; x[1] = a[0] + b[0]; }

//// refused: a shared constant
__global__ void k(float* x) { const __shared__ float a[32]; x[1] = a[0]; }

//// ok: a shared union
__global__ void k(float* x) { __shared__ union { float f[32]; int i[32]; } a; a.f[0] = x[0]; x[1] = a.i[0]; }

//// ok: shared objects of classes with empty constructors
struct A { float x; __device__ A() {} __device__ A(float v) : x(v) {} };
template <class T> struct Pair { T a, b; __device__ Pair() {} __device__ void set(T v) { a = b = v; } };
struct Both { A a; Pair<int> p; };
typedef Pair<A> Two;
__global__ void k(float* x) {
    __shared__ A a; static __shared__ Pair<float> p; __shared__ alignas(16) Both both; __shared__ Two two;
    if (threadIdx.x == 0) { a = A(1); p.set(2); both.p.set(3); two.a.x = 4; }
    __syncthreads();
    x[threadIdx.x] = a.x + p.b + both.p.a + two.a.x + sizeof(both);
}

//// ok: a shared object with a destructor
struct A { float x; __device__ ~A() {} };
__global__ void k(float* x) { __shared__ A a; a.x = 1; x[0] = a.x; }

//// ok: a shared object with some first values
struct A { float x = 1, y; };
__global__ void k(float* x) { __shared__ A a; a.x = 1; x[0] = a.x; }

//// refused: a shared object without a constructor that takes nothing
struct A { float x; __device__ A(float v) : x(v) {} };
__global__ void k(float* x) { __shared__ A a; x[0] = a.x; }

//// refused: a shared object with a value for its constructor
struct A { float x; __device__ A() {} __device__ A(float v) : x(v) {} };
__global__ void k(float* x) { __shared__ A a(1); x[0] = a.x; }

//// refused: a method that a shared object's class has not
struct A { float x; __device__ A() {} };
__global__ void k(float* x) { __shared__ A a; a.set(1); x[0] = a.x; }

//// refused: a static shared array in host code
void f() { static __shared__ int z[4]; }

//// refused: a static shared array in a function of both
__host__ __device__ void f(int* x) { static __shared__ int z[4]; x[0] = z[0]; }

//// ok: a static shared array in a device function
__device__ void f(int* x) { static __shared__ int z[4]; z[0] = 1; x[0] = z[0]; }
