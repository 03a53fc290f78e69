// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: a __constant__ array
__constant__ float table[4];
__global__ void k(float* x) { x[0] = table[threadIdx.x]; }
void f(const float* x) { cudaMemcpyToSymbol(table, x, 16); }

//// ok: a __constant__ array with values
__constant__ float table[4] = {1, 2, 3, 4};
__global__ void k(float* x) { x[0] = table[1]; }

//// ok: a kernel writes __constant__ memory
__constant__ float table[4];
__global__ void k(float* x) { table[0] = x[0]; }

//// refused: __constant__ in a function
__global__ void k(float* x) { __constant__ float t[4]; x[0] = t[0]; }

//// ok: the host reads a __constant__ variable
__constant__ float table[4];
float f() { return table[0]; }

//// ok: a __device__ variable
__device__ int count;
__global__ void k() { atomicAdd(&count, 1); }

//// ok: a __device__ variable with a value
__device__ int count = 3;
__global__ void k(int* x) { x[0] = count; }

//// ok: the host writes a __device__ variable
__device__ int count;
void f() { count = 3; }

//// refused: the host writes a __constant__ variable
__constant__ int count;
void f() { count = 3; }

//// refused: the host changes a __constant__ variable
__constant__ int count;
void f() { ++count; }

//// refused: the host adds to a __constant__ variable in a lambda
__constant__ int count;
void f() { [] { count += 2; }(); }

//// refused: a kernel writes a __constant__ variable
__constant__ int count;
__global__ void k(int* x) { if (x[0] < 0) count = x[1]; }

//// refused: a function that no kernel calls counts a __constant__ variable
__constant__ int count;
__device__ void f() { count++; }

//// refused: a function of both sides writes a __constant__ variable
__constant__ float scale;
__host__ __device__ void f(float v) { scale *= v; }

//// refused: a kernel's template writes a __constant__ variable
__constant__ float scale;
template <class T> __global__ void k(T* x) { scale = x[0]; }
template __global__ void k<float>(float*);

//// ok: a template that nothing is made of writes a __constant__ variable
__constant__ float scale;
template <class T> __device__ void f(T* x) { scale = x[0]; }

//// ok: a kernel compares a __constant__ variable and writes through a __constant__ pointer
__constant__ int count;
__constant__ int* values;
__global__ void k() { if (count == 3 && count <= values[0]) values[1] = *values = -count; }

//// ok: device code that never runs writes an element of a __constant__ array, and a member
__constant__ int counts[4];
__constant__ int2 pair;
__device__ void f() { counts[0] = 3, pair.x = 2; }

//// ok: the host writes an element of a __constant__ array
__constant__ int counts[4];
void f() { counts[0] = 3; }

//// ok: the host compares a __constant__ variable
__constant__ int count;
bool f() { return count == 3; }

//// ok: the host reads a __device__ variable
__device__ int count;
int f() { return count; }

//// ok: the host takes the address of a __device__ variable
__device__ int count;
int* f() { return &count; }

//// refused: a __device__ variable whose value is computed at run time
int g();
__device__ int count = g();

//// refused: a host variable read by a kernel
float one = 1;
__global__ void k(float* x) { x[0] = one; }

//// refused: a host variable written by a kernel
float one = 1;
__global__ void k(float* x) { one = x[0]; }

//// refused: a static host variable read by a kernel
static int one = 1;
__global__ void k(int* x) { x[0] = one; }

//// refused: a host array read by a kernel
float table[3] = {1, 2, 3};
__global__ void k(float* x) { x[0] = table[threadIdx.x]; }

//// refused: a const host array read by a kernel
const float table[3] = {1, 2, 3};
__global__ void k(float* x) { x[0] = table[threadIdx.x]; }

//// ok: a const int of the host read by a kernel
const int kTile = 32;
__global__ void k(int* x) { x[0] = kTile * threadIdx.x; }

//// ok: a static const int of the host read by a kernel
static const int kTile = 32;
__global__ void k(int* x) { __shared__ int a[kTile]; a[threadIdx.x] = kTile; x[0] = a[0]; }

//// ok: a const float of the host read by a kernel
const float kScale = 0.5f;
__global__ void k(float* x) { x[0] = kScale * x[1]; }

//// ok: a static const double of the host read by a kernel
static const double kScale = 0.5;
__global__ void k(double* x) { x[0] = kScale * x[1]; }

//// ok: a constexpr int read by a kernel
constexpr int kTile = 32;
__global__ void k(int* x) { x[0] = kTile * threadIdx.x; }

//// ok: a constexpr float read by a kernel
constexpr float kScale = 0.5f;
__global__ void k(float* x) { x[0] = kScale * x[1]; }

//// refused: a constexpr array indexed by a constant
constexpr float table[3] = {1, 2, 3};
__global__ void k(float* x) { x[0] = table[1]; }

//// refused: a constexpr array indexed by a variable
constexpr float table[3] = {1, 2, 3};
__global__ void k(float* x) { x[0] = table[threadIdx.x]; }

//// refused: the address of a constexpr int
constexpr int kTile = 32;
__device__ int get(const int& x) { return x; }
__global__ void k(int* x) { x[0] = get(kTile); }

//// refused: min of a constexpr int with std::min
#include <algorithm>
constexpr int kTile = 32;
__global__ void k(int* x, int n) { x[0] = std::min(n, kTile); }

//// ok: min of a constexpr int
constexpr int kTile = 32;
__global__ void k(int* x, int n) { x[0] = min(n, kTile); }

//// refused: a const int whose value is known at run time
int g();
const int kTile = g();
__global__ void k(int* x) { x[0] = kTile; }

//// ok: a constexpr struct's member
struct Shape { int n, m; };
constexpr Shape shape = {3, 4};
__global__ void k(int* x) { x[0] = shape.n * shape.m; }

//// ok: a const struct's member
struct Shape { int n, m; };
const Shape shape = {3, 4};
__global__ void k(int* x) { x[0] = shape.n * shape.m; }

//// refused: a host pointer variable
float* buffer;
__global__ void k(float* x) { x[0] = buffer[0]; }

//// ok: a string literal
__device__ const char* name() { return "abc"; }
__global__ void k(char* x) { x[0] = name()[1]; }

//// refused: a host const char pointer
const char* name = "abc";
__global__ void k(char* x) { x[0] = name[1]; }

//// ok: an enum
enum { kTile = 32, kOther = 3 };
enum class Kind { First, Second };
__global__ void k(int* x) { x[0] = kTile + (int)Kind::Second; }

//// ok: a macro
#define TILE 32
__global__ void k(int* x) { __shared__ int a[TILE]; a[threadIdx.x] = TILE; x[0] = a[0]; }

//// ok: a static variable in a kernel
__global__ void k(int* x) { static int count = 0; count++; x[0] = count; }

//// ok: a static variable in a device function
__device__ int next() { static int count; return ++count; }
__global__ void k(int* x) { x[0] = next(); }

//// ok: a static const array in a kernel
__global__ void k(int* x) { static const int table[3] = {1, 2, 3}; x[0] = table[threadIdx.x]; }

//// ok: a static constexpr array in a kernel
__global__ void k(int* x) { static constexpr int table[3] = {1, 2, 3}; x[0] = table[threadIdx.x]; }

//// ok: a const array in a kernel
__global__ void k(int* x) { const int table[3] = {1, 2, 3}; x[0] = table[threadIdx.x]; }

//// refused: a static variable that starts with a run-time value
__global__ void k(int* x) { static int count = x[0]; x[1] = count; }

//// ok: a static data member
struct S { static constexpr int n = 3; static const int m = 4; };
__global__ void k(int* x) { x[0] = S::n + S::m; }

//// refused: a static data member that is not const
struct S { static int n; };
int S::n = 3;
__global__ void k(int* x) { x[0] = S::n; }

//// refused: an inline variable
inline int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// ok: an inline constexpr variable
inline constexpr int n = 3;
__global__ void k(int* x) { x[0] = n; }

//// ok: a __managed__ variable
__managed__ int n = 3;
__global__ void k(int* x) { x[0] = n; }
int f() { return n; }

//// refused: an array of a run-time size
__global__ void k(float* x, int n) { float a[n]; a[0] = x[0]; x[1] = a[0]; }

//// refused: an array as large as the block
__global__ void k(float* x) { float a[blockDim.x]; a[0] = x[0]; x[1] = a[0]; }

//// ok: an array of a run-time size in the host function
float f(int n) { float a[n]; a[0] = 1; return a[0]; }

//// ok: an array of a const size
__global__ void k(float* x) { const int n = 4; float a[n]; a[0] = x[0]; x[1] = a[0]; }

//// refused: an array of a const size that is no constant
__global__ void k(float* x, int m) { const int n = m; float a[n]; a[0] = x[0]; x[1] = a[0]; }

//// refused: an array of a float size
__global__ void k(float* x) { float a[4.0]; x[1] = a[0]; }

//// refused: an array of size zero
__global__ void k(float* x) { float a[0]; x[1] = sizeof(a); }

//// refused: an array of negative size
__global__ void k(float* x) { float a[-1]; x[1] = sizeof(a); }

//// refused: too many values
__global__ void k(float* x) { float a[2] = {1, 2, 3}; x[1] = a[0]; }

//// refused: thread_local in a kernel
__global__ void k(int* x) { thread_local int n = 0; x[0] = n++; }

//// ok: thread_local of the host
thread_local int n = 0;
int f() { return n++; }

//// ok: a reference to a host variable of the function's
__global__ void k(int* x) { int n = 3; int& m = n; m = 4; x[0] = n; }

//// refused: a __device__ variable of a class with a constructor
struct S { int n; S() : n(3) {} };
__device__ S s;
__global__ void k(int* x) { x[0] = s.n; }

//// ok: a __device__ variable of a class with a constexpr constructor
struct S { int n; constexpr S() : n(3) {} };
__device__ S s;
__global__ void k(int* x) { x[0] = s.n; }

//// ok: const __device__ array
const __device__ float table[3] = {1, 2, 3};
__global__ void k(float* x) { x[0] = table[threadIdx.x]; }

//// ok: __device__ constexpr array
__device__ constexpr float table[3] = {1, 2, 3};
__global__ void k(float* x) { x[0] = table[threadIdx.x]; }

//// ok: static __device__ array
static __device__ float table[3] = {1, 2, 3};
__global__ void k(float* x) { x[0] = table[threadIdx.x]; }

//// refused: extern __device__
extern __device__ int count;
__device__ int count = 3;
__global__ void k(int* x) { x[0] = count; }

//// refused: __device__ in a function
__global__ void k(int* x) { __device__ int n; n = 3; x[0] = n; }

//// ok: a variable that is not used
__global__ void k(int* x) { int unused = 3; float other; x[0] = 1; }

//// ok: a variable that is never set
__global__ void k(int* x) { int i; x[i] = 1; }

//// refused: a variable declared twice
__global__ void k(int* x) { int i = 0; int i = 1; x[i] = 1; }

//// ok: a variable that hides another
__global__ void k(int* x) { int i = 0; for (int i = 0; i < 3; ++i) x[i] = 1; x[i] = 2; }

//// refused: a variable that hides a parameter
__global__ void k(int* x) { int x = 3; }

//// refused: a const variable is written
__global__ void k(int* x) { const int i = 0; i = 3; x[i] = 1; }

//// refused: a const parameter's element is written
__global__ void k(const int* x) { x[0] = 1; }

//// ok: a restrict pointer
__global__ void k(const int* __restrict__ x, int* __restrict__ y) { y[0] = x[0]; }

//// refused: a C restrict pointer
__global__ void k(const int* restrict x, int* y) { y[0] = x[0]; }

//// ok: register
__global__ void k(int* x) { register int i = 3; x[i] = 1; }

//// ok: volatile
__global__ void k(volatile int* x) { volatile int i = 3; x[i] = 1; }

//// ok: a constexpr array read into a constexpr
constexpr int table[3] = {1, 2, 3};
__global__ void k(int* x) { constexpr int t = table[1]; __shared__ int a[table[2]]; a[0] = t; x[0] = a[0] + sizeof(table); }

//// ok: a constexpr struct's method
struct Shape { int n, m; constexpr int area() const { return n * m; } };
constexpr Shape shape = {3, 4};
__global__ void k(int* x) { x[0] = shape.area(); }

//// ok: a constexpr struct is copied
struct Shape { int n, m; };
constexpr Shape shape = {3, 4};
__global__ void k(int* x) { Shape s = shape; x[0] = s.n; }

//// ok: a constexpr struct handed to a function
struct Shape { int n, m; };
constexpr Shape shape = {3, 4};
__device__ int area(Shape s) { return s.n * s.m; }
__global__ void k(int* x) { x[0] = area(shape); }

//// refused: a const reference to a constexpr int
constexpr int kTile = 32;
__global__ void k(int* x) { const int& t = kTile; x[0] = t; }

//// refused: the address of a constexpr int is taken
constexpr int kTile = 32;
__global__ void k(int* x) { const int* t = &kTile; x[0] = *t; }

//// ok: a constexpr in a function of both sides
constexpr float kScale = 2;
constexpr float table[2] = {1, 2};
__host__ __device__ float f(float x) { return kScale * x; }

//// refused: a constexpr array in a function of both sides
constexpr float table[2] = {1, 2};
__host__ __device__ float f(int i) { return table[i]; }
__global__ void k(float* x) { x[0] = f(1); }

//// refused: a host variable in a function of both sides
float scale = 2;
__host__ __device__ float f(float x) { return scale * x; }
__global__ void k(float* x) { x[0] = f(1); }

//// ok: a constexpr array in a constexpr function
constexpr float table[2] = {1, 2};
constexpr float f(int i) { return table[i]; }
__global__ void k(float* x) { x[0] = f(threadIdx.x); }

//// ok: a constexpr scalar of a class by value
struct S { static constexpr float scale = 2; static constexpr int table[2] = {1, 2}; };
__global__ void k(float* x) { x[0] = S::scale; }

//// refused: a constexpr array of a class
struct S { static constexpr int table[2] = {1, 2}; };
__global__ void k(int* x) { x[0] = S::table[threadIdx.x]; }

//// ok: max with a constexpr of a class
struct S { static constexpr int n = 3; };
__global__ void k(int* x) { x[0] = max(x[0], S::n); }

//// ok: a lambda in a kernel uses a constexpr
constexpr int kTile = 32;
__global__ void k(int* x) { auto f = [&](int i) { return i * kTile; }; x[0] = f(1); }

//// refused: a lambda in a kernel uses a host variable
int tile = 32;
__global__ void k(int* x) { auto f = [&](int i) { return i * tile; }; x[0] = f(1); }

//// refused: a template kernel uses a constexpr array
constexpr int table[3] = {1, 2, 3};
template <int N> __global__ void k(int* x) { x[0] = table[N]; }
void f(int* x) { k<1><<<1, 1>>>(x); }

//// ok: a template kernel uses a host variable and is not instantiated
int tile = 32;
template <int N> __global__ void k(int* x) { x[0] = tile; }

//// ok: a float constant in a template kernel
const float kScale = 0.5f;
template <int N> __global__ void k(float* x) { x[0] = kScale * N; }
void f(float* x) { k<1><<<1, 1>>>(x); }

//// ok: a known element of a class's constexpr array
struct S { static constexpr float v[2] = {1, 2}; };
__global__ void k(float* x) { x[0] = S::v[0]; }

//// ok: an element of a class's constexpr array by a template's parameter
template <int N> struct S { static constexpr int v[2] = {N, 2}; };
template <int I> __global__ void k(int* x) { x[0] = S<3>::v[I]; }
void f(int* x) { k<1><<<1, 1>>>(x); }

//// refused: any element of a class's constexpr array
struct S { static constexpr float v[2] = {1, 2}; };
__global__ void k(float* x, int i) { x[0] = S::v[i]; }

//// ok: a table of the host in templates that nothing makes
constexpr float table[2] = {1, 2};
template <class T> __global__ void k(T* x) { x[0] = table[threadIdx.x]; }
template <class T> __device__ T f(T* x) { return x[0] + table[threadIdx.x]; }
template <class T> struct S { __device__ T of(int i) { return table[i]; } template <class U> __device__ U as(int i) { return table[i]; } };
template <class T> struct Out { __device__ T of(int i); };
template <class T> __device__ T Out<T>::of(int i) { return table[i]; }
struct P { template <class T> __device__ T of(T i) { return table[int(i)]; } };
__global__ void l(float* x) { S<float> s; Out<float> out; P p; x[0] = sizeof s + sizeof out + sizeof p; }

//// refused: a table of the host in a kernel's template that is launched
constexpr float table[2] = {1, 2};
template <class T> __global__ void k(T* x) { x[0] = table[threadIdx.x]; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: a table of the host in a kernel's template that is named whole
constexpr float table[2] = {1, 2};
template <class T> __global__ void k(T* x) { x[0] = table[threadIdx.x]; }
template __global__ void k<float>(float* x);

//// refused: a table of the host in a class template's method that is called
constexpr float table[2] = {1, 2};
template <class T> struct S { __device__ T of(int i) { return table[i]; } };
__global__ void k(float* x) { S<float> s; x[0] = s.of(threadIdx.x); }

//// refused: a table of the host in a class template's method outside of it
constexpr float table[2] = {1, 2};
template <class T> struct S { __device__ T of(int i); };
template <class T> __device__ T S<T>::of(int i) { return table[i]; }
__global__ void k(float* x) { S<float> s; x[0] = s.of(threadIdx.x); }

//// refused: a table of the host in a method's template that is called
constexpr float table[2] = {1, 2};
struct P { template <class T> __device__ T of(T i) { return table[int(i)]; } };
__global__ void k(float* x) { P p; x[0] = p.of(x[1]); }

//// refused: a table of the host in a method of a class within a template
constexpr float table[2] = {1, 2};
template <class T> struct S { struct Inner { __device__ T of(int i) { return table[i]; } }; };
__global__ void k(float* x) { S<float>::Inner s; x[0] = s.of(threadIdx.x); }

//// refused: a table of the host in a local class of a template
constexpr float table[2] = {1, 2};
template <class T> __device__ T f(int i) { struct Local { __device__ T of(int i) { return table[i]; } }; return Local{}.of(i); }
__global__ void k(float* x) { x[0] = f<float>(threadIdx.x); }
