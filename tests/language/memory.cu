// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: a __managed__ array
__managed__ int counts[4];
__global__ void k() { atomicAdd(&counts[1], 1); }
int f() { return counts[1]; }

//// refused: a __managed__ variable with a value of run time
int g();
__managed__ int n = g();
__global__ void k() { n = 1; }

//// ok: a static __managed__ variable
static __managed__ float total = 1;
__global__ void k() { total += 1; }

//// refused: a __managed__ const
__managed__ const int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// ok: a __managed__ __device__ variable
__device__ __managed__ int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// refused: a __managed__ local
__global__ void k(int* x) { __managed__ int n; x[0] = 3; }

//// refused: a __managed__ and __constant__ variable
__constant__ __managed__ int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// ok: __constant__ float3 with values
__constant__ float3 c = {1, 2, 3};
__global__ void k(float* x) { x[0] = c.y; }

//// refused: __constant__ float4 by make_float4
__constant__ float4 c = make_float4(1, 2, 3, 4);
__global__ void k(float* x) { x[0] = c.y; }

//// ok: __constant__ struct without values
struct P { float a; int b; };
__constant__ P p;
__global__ void k(float* x) { x[0] = p.a; }

//// ok: __constant__ struct with default member values
struct P { float a = 1; int b = 2; };
__constant__ P p;
__global__ void k(float* x) { x[0] = p.a; }

//// refused: __constant__ struct with a constructor
struct P { float a; P() : a(1) {} };
__constant__ P p;
__global__ void k(float* x) { x[0] = p.a; }

//// ok: __constant__ struct with an empty device constructor
struct P { float a; __host__ __device__ P() {} };
__constant__ P p;
__global__ void k(float* x) { x[0] = p.a; }

//// ok: __device__ struct with a destructor
struct P { float a; __host__ __device__ ~P() {} };
__device__ P p;
__global__ void k(float* x) { x[0] = p.a; }

//// ok: __device__ struct with an empty device constructor
struct P { float a; __device__ P() {} };
__device__ P p;
__global__ void k(float* x) { x[0] = p.a; }

//// refused: __device__ struct with virtual functions
struct P { float a; __device__ virtual float f() { return a; } };
__device__ P p;
__global__ void k(float* x) { x[0] = p.f(); }

//// refused: __device__ pointer to a host variable
float v;
__device__ float* p = &v;
__global__ void k(float* x) { x[0] = *p; }

//// ok: __constant__ array of char pointers
__constant__ const char* s[] = {"abc", "def"};
__global__ void k(char* x) { x[0] = s[1][0]; }

//// refused: extern __constant__ declaration and definition
extern __constant__ int n;
__constant__ int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// ok: extern __constant__ declaration alone
extern __constant__ int n;
__global__ void k(int* x) { x[0] = n; }

//// refused: an inline __device__ variable
inline __device__ int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// ok: a constexpr __constant__ array
constexpr __constant__ float t[2] = {1, 2};
__global__ void k(float* x) { x[0] = t[threadIdx.x]; }

//// refused: a thread_local __device__ variable
thread_local __device__ int n;
__global__ void k(int* x) { x[0] = n; }

//// ok: a static local __constant__
__global__ void k(int* x) { static __constant__ int n[2] = {1, 2}; x[0] = n[threadIdx.x]; }

//// ok: a static local __device__
__global__ void k(int* x) { static __device__ int n = 2; x[0] = n++; }

//// refused: a static local __device__ in a host function
void f(int* x) { static __device__ int n = 2; x[0] = 1; }

//// refused: a static local of a class with a constructor
struct A { int n; __device__ A() : n(2) {} };
__global__ void k(int* x) { static A a; x[0] = a.n; }

//// ok: a static local of a class with a constexpr constructor
struct A { int n; constexpr A() : n(2) {} };
__global__ void k(int* x) { static A a; x[0] = a.n; }

//// ok: a static local pointer in a kernel
__global__ void k(int* x) { static int* p = nullptr; if (!p) p = x; p[0] = 1; }

//// ok: a static local in a function of both sides
__host__ __device__ int next() { static int n = 0; return n++; }
__global__ void k(int* x) { x[0] = next(); }

//// refused: a static local in a constexpr function
constexpr int next() { static int n = 0; return n++; }
__global__ void k(int* x) { x[0] = next(); }

//// ok: a static local in a lambda in a kernel
__global__ void k(int* x) { auto f = [] { static int n = 0; return n++; }; x[0] = f(); }

//// ok: a local extern variable
__device__ int n;
__global__ void k(int* x) { extern __device__ int n; x[0] = n; }

//// ok: a __managed__ struct
struct S { int a; float b; };
__managed__ S s = {1, 2.f};
__global__ void k() { s.a = 2; }

//// refused: an inline __constant__ variable
inline __constant__ int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// ok: a static inline __device__ variable
static inline __device__ int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// ok: an inline __device__ variable in an unnamed namespace
namespace { inline __device__ int n = 3; }
__global__ void k(int* x) { x[0] = n; }

//// refused: an inline constexpr __device__ variable
inline constexpr __device__ int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// refused: an inline constexpr __constant__ table
inline constexpr __constant__ int n[2] = {3, 4};
__global__ void k(int* x) { x[0] = n[x[1]]; }

//// refused: an extern __constant__ declared behind its definition
__constant__ int n = 3;
extern __constant__ int n;
__global__ void k(int* x) { x[0] = n; }

//// refused: a __device__ lambda variable that is constexpr
__device__ constexpr auto f = [](int i) { return i; };
__global__ void k(int* x) { x[0] = f(x[1]); }

//// ok: a __device__ functor
struct F { __device__ int operator()(int i) const { return i; } };
__device__ F f;
__global__ void k(int* x) { x[0] = f(x[1]); }

//// ok: a static __shared__ in a device function of both
__device__ void f(int* x) { static __shared__ int n[2]; n[0] = 2; x[0] = n[0]; }

//// ok: a device function table with a constexpr host function
constexpr float twice(float x) { return 2 * x; }
typedef float (*F)(float);
__device__ F table[1] = {twice};
__global__ void k(float* x) { x[0] = table[0](x[1]); }

//// ok: a device function table with a function of both
__host__ __device__ float twice(float x) { return 2 * x; }
typedef float (*F)(float);
__device__ F table[1] = {&twice};
__global__ void k(float* x) { x[0] = table[0](x[1]); }

//// ok: a __constant__ table of device functions
__device__ float twice(float x) { return 2 * x; }
typedef float (*F)(float);
__constant__ F table[1] = {twice};
__global__ void k(float* x) { x[0] = table[0](x[1]); }

//// ok: a device variable that points to a kernel
__global__ void g(float* x) {}
typedef void (*F)(float*);
__device__ F f = g;

//// ok: a host table of kernels
__global__ void g(float* x) {}
typedef void (*F)(float*);
F table[1] = {g};
void f(float* x) { table[0]<<<1, 1>>>(x); }

//// ok: constexpr table of kernels
__global__ void g(float* x) {}
constexpr void (*table[])(float*) = {g, g};
void f(float* x, int i) { table[i]<<<1, 1>>>(x); }

//// ok: constant memory of exactly 64 KB
__constant__ int c[16384];
__global__ void k(int* x) { x[0] = c[3]; }

//// refused: huge shared array
__global__ void k(int* x) { __shared__ int a[100000]; a[threadIdx.x] = 1; x[0] = a[3]; }

//// ok: shared array of 100 KB in a kernel
__global__ void k(float* x) { __shared__ float s[25600]; s[threadIdx.x] = 1; x[0] = s[3]; }

//// ok: void pointer arithmetic
__global__ void k(void* x) { float* y = (float*)(x + 4); y[0] = 1; }

//// ok: void pointer arithmetic on host
void f(void* x) { float* y = (float*)(x + 4); y[0] = 1; }

//// ok: sizeof a function and a void
__global__ void k(int* x) { x[0] = sizeof(void); }

//// ok: VLA in a host function with empty braces
int f(int n) { float t[n] = {}; t[0] = 1; return sizeof t; }

//// ok: VLA in a host function with values
int f(int n) { float t[n] = {1, 2}; t[0] = 1; return sizeof t; }

//// refused: VLA with values in a kernel
__global__ void k(int* x, int n) { float t[n] = {}; x[0] = t[0]; }

//// ok: a copy to a constant variable that is const
__constant__ const float c[4] = {1, 2, 3, 4};
__global__ void k(float* x, int i) { x[0] = c[i]; }
void f(const float* h) { cudaMemcpyToSymbol(c, h, sizeof c); }

//// ok: a shared array whose size is shifted
template <int K> __global__ void k(int* x) { __shared__ int s[(K + 2) << 1]; s[threadIdx.x] = x[0]; x[1] = s[0]; }
template __global__ void k<30>(int*);

//// ok: a shared array whose size is chosen by conditions of two signs
template <int K> __global__ void k(int* x) { __shared__ int s[K == 30 && K != 2 ? K >> 1 : 1]; s[0] = x[0]; x[1] = s[0]; }
template __global__ void k<30>(int*);

//// ok: a shared object of a template whose argument is shifted
template <int N> struct Row { int a[N]; };
__global__ void k(int* x) { __shared__ Row<(4 << 2)> s; s.a[0] = x[0]; x[1] = s.a[0]; }

//// ok: dynamic shared memory of a type whose argument is shifted
template <int N> struct Row { int a[N]; };
__global__ void k(int* x) { extern __shared__ Row<(4 << 2)> s[]; s[0].a[0] = x[0]; x[1] = s[0].a[0]; }

//// ok: a large structure by value to a template with a shifted default
struct Big { int v[8]; };
template <int K, int M = (K << 1)> __device__ __noinline__ int sum(Big b, int n = 1 << 1) { return b.v[0] * n + M; }
__global__ void k(int* x) { Big b = {{1, 2, 3}}; x[0] = sum<4>(b, 2); }
