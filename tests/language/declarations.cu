// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: a constexpr warpSize
constexpr int warpSize = 32;
__global__ void k(int* x) { x[warpSize] = 1; }

//// ok: __constant__ struct assigned
struct P { float a, b; int n; };
__constant__ P p;
void f(P v) { p = v; }
__global__ void k(float* x) { x[0] = p.a * p.n; }

//// ok: __constant__ parameter
__global__ void k(__constant__ float* x) { x[0] = 1; }

//// refused: __constant__ with a constexpr constructor
struct P { float a; constexpr P(float v) : a(v) {} };
__constant__ P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// ok: const int warpSize of the file
const int warpSize = 32;
__global__ void k(int* x) { x[warpSize] = 1; }

//// refused: static const int warpSize
static const int warpSize = 32;
__global__ void k(int* x) { x[warpSize] = 1; }

//// ok: constexpr int warpSize as a size
constexpr int warpSize = 32;
__global__ void k(int* x) { __shared__ int s[warpSize]; s[0] = 1; x[0] = s[0]; }

//// ok: constexpr warpSize and a property
constexpr int warpSize = 32;
__global__ void k(int* x) { x[threadIdx.x / warpSize] = 1; }
void f(int* x) { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); k<<<1, p.warpSize>>>(x); }

//// refused: int warpSize of the file
int warpSize = 32;
__global__ void k(int* x) { x[0] = 1; }

//// ok: warpSize in a namespace
namespace a { constexpr int warpSize = 32; __global__ void k(int* x) { x[warpSize] = 1; } }

//// refused: enum warpSize
enum { warpSize = 32 };
__global__ void k(int* x) { x[warpSize] = 1; }

//// ok: __device__ parameter
__global__ void k(__device__ float* x) { x[0] = 1; }

//// ok: __constant__ parameter of a device function
__device__ float g(__constant__ float* x) { return x[0]; }
__global__ void k(float* x) { x[0] = g(x); }

//// ok: __global__ parameter
__global__ void k(__global__ float* x) { x[0] = 1; }

//// refused: __constant__ with braces
struct P { float a; constexpr P(float v) : a(v) {} };
__constant__ P p{3};
__global__ void k(float* x) { x[0] = p.a; }

//// refused: __constant__ with equals constructor
struct P { float a; constexpr P(float v) : a(v) {} };
__constant__ P p = P(3);
__global__ void k(float* x) { x[0] = p.a; }

//// refused: __device__ with a constexpr constructor
struct P { float a; constexpr P(float v) : a(v) {} };
__device__ P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// ok: __constant__ with a default constructor
struct P { float a; constexpr P(float v = 2) : a(v) {} };
__constant__ P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// refused: static __constant__ with a constexpr constructor
struct P { float a; constexpr P(float v) : a(v) {} };
static __constant__ P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// refused: __constant__ array of such
struct P { float a; constexpr P(float v) : a(v) {} };
__constant__ P p[2] = {1, 2};
__global__ void k(float* x) { x[0] = p[1].a; }

//// ok: const __device__ with a constexpr constructor
struct P { float a; constexpr P(float v) : a(v) {} };
const __device__ P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// ok: __managed__ with a constexpr constructor
struct P { float a; constexpr P(float v) : a(v) {} };
__managed__ P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// refused: __constant__ of a struct that has one as a member
struct P { float a; constexpr P(float v) : a(v) {} }; struct Q { P p; };
__constant__ Q q = {P(3)};
__global__ void k(float* x) { x[0] = q.p.a; }

//// ok: __constant__ union assigned
union P { float a; int b; };
__constant__ P p;
void f(P v) { p = v; }
__global__ void k(float* x) { x[0] = p.a; }

//// ok: __constant__ float4 assigned
__constant__ float4 p;
void f(float4 v) { p = v; }
__global__ void k(float* x) { x[0] = p.x; }

//// refused: __constant__ enum assigned
enum E { A, B };
__constant__ E p;
void f(E v) { p = v; }
__global__ void k(int* x) { x[0] = p; }

//// refused: __constant__ pointer assigned
__constant__ float* p;
void f(float* v) { p = v; }
__global__ void k(float* x) { x[0] = p[0]; }

//// ok: __constant__ half assigned
#include <cuda_fp16.h>
__constant__ half p;
void f(float v) { p = __float2half(v); }
__global__ void k(half* x) { x[0] = p; }

//// ok: __constant__ struct incremented
struct P { float a; __host__ __device__ P& operator++() { ++a; return *this; } };
__constant__ P p;
void f() { ++p; }
__global__ void k(float* x) { x[0] = p.a; }

//// ok: device function declared without device
int g(int n);
__global__ void k(int* x) { x[0] = g(x[1]); }
__device__ int g(int n) { return n; }

//// refused: __device__ after the name
int g() __device__ { return 1; }
__global__ void k(int* x) { x[0] = g(); }

//// ok: main without a type
__global__ void k(int* x) { x[0] = 1; }
main() { return 0; }

//// ok: __device__ behind the parameters of a method
struct S { float a; float get() const __device__ { return a; } };
__global__ void k(S* s, float* x) { x[0] = s->get(); }

//// ok: __device__ behind the parameters of a declaration
int g() __device__;
__global__ void k(int* x) { x[0] = g(); }
__device__ int g() { return 1; }

//// ok: a lambda with __noinline__ behind its parameters
__global__ void k(int* x) { auto f = [](int a) __noinline__ { return a; }; x[0] = f(1); }

//// refused: __host__ __device__ behind the parameters
int g() __host__ __device__ { return 1; }
__global__ void k(int* x) { x[0] = g(); }

//// ok: __launch_bounds__ and __device__ in front
__global__ void __launch_bounds__(32) k(int* x) { x[0] = 1; }
__device__ __noinline__ int g(int a) { return a; }

//// refused: declared without a side and called by host code
int g(int n);
__device__ int g(int n) { return n; }
void f(int* x) { x[0] = g(1); }

//// ok: declared of the host and defined of the device
__host__ int g(int n);
__global__ void k(int* x) { x[0] = g(x[1]); }
__device__ int g(int n) { return n; }

//// ok: declared without a side and defined for both
int g(int n);
__global__ void k(int* x) { x[0] = g(x[1]); }
__host__ __device__ int g(int n) { return n; }

//// ok: declared of the device and defined without a side
__device__ int g(int n);
__global__ void k(int* x) { x[0] = g(x[1]); }
int g(int n) { return n; }

//// refused: declared without a side and never defined
int g(int n);
__global__ void k(int* x) { x[0] = g(x[1]); }

//// ok: template declared without a side
template <typename T> T g(T n);
__global__ void k(int* x) { x[0] = g(x[1]); }
template <typename T> __device__ T g(T n) { return n; }

//// ok: method declared without a side
struct S { int a; int g(); };
__device__ int S::g() { return a; }
__global__ void k(int* x) { S s{1}; x[0] = s.g(); }

//// ok: main without a type and a parameter
__global__ void k(int* x) { x[0] = 1; }
main(int n, char** v) { return 0; }

//// refused: another function without a type
__global__ void k(int* x) { x[0] = 1; }
helper() { return 0; }

//// ok: declared of the device and defined for both
__device__ int g(int n);
__global__ void k(int* x) { x[0] = g(x[1]); }
__host__ __device__ int g(int n) { return n; }

//// ok: declared for both and defined without sides
__host__ __device__ int g(int n);
__global__ void k(int* x) { x[0] = g(x[1]); }
int g(int n) { return n; }

//// ok: declared for both and defined of the device
__host__ __device__ int g(int n);
__global__ void k(int* x) { x[0] = g(x[1]); }
__device__ int g(int n) { return n; }

//// ok: braces as a kernel parameter's value
__global__ void k(float* x, float4 v = {1, 2, 3, 4}) { switch (threadIdx.x) { case 0: int a = 1; x[0] = a * v.x; break; case 1: x[1] = 2; } }
void f(float* x) { k<<<1, 2>>>(x); }

//// ok: braces as a method parameter's value
struct M { float a[8]; };
struct S { __device__ float f(M m = M{{1, 2}}) const { return m.a[1]; } int n; __device__ int g() const { return n; } };
__global__ void k(float* x) { S s{1}; x[0] = s.f() + s.g(); }

//// refused: host and both defined
int g(int n) { return n; }
__host__ __device__ int g(int n) { return n; }
__global__ void k(int* x) { x[0] = g(x[1]); }

//// refused: device and both defined
__device__ int g(int n) { return n; }
__host__ __device__ int g(int n) { return n; }
__global__ void k(int* x) { x[0] = g(x[1]); }

//// refused: device and host defined
__device__ int g(int n) { return n; }
__host__ int g(int n) { return n; }
__global__ void k(int* x) { x[0] = g(x[1]); }

//// ok: method declared without and defined with both
struct S { int a; int g(); };
__host__ __device__ int S::g() { return a; }
__global__ void k(int* x) { S s{1}; x[0] = s.g(); }

//// refused: a class of the file's own with a constructor for a __device__ array of templates
template <typename T> struct V { T a; constexpr V(T v) : a(v) {} };
__device__ V<float> p{3};
__global__ void k(float* x) { x[0] = p.a; }

//// ok: a default constructor that is defaulted
struct P { float a; P() = default; constexpr P(float v) : a(v) {} };
__device__ P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// ok: a variadic constructor template
struct P { float a; template <typename... T> constexpr P(T... v) : a((v + ... + 0.f)) {} };
__device__ P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// ok: a member with a value
struct P { float a; constexpr P(float v) : a(v) {} }; struct Q { P p = 3; };
__device__ Q q;
__global__ void k(float* x) { x[0] = q.p.a; }

//// ok: a member with a value given another
struct P { float a; constexpr P(float v) : a(v) {} }; struct Q { P p = 3; };
__device__ Q q = {P(2)};
__global__ void k(float* x) { x[0] = q.p.a; }

//// ok: a constexpr variable
struct P { float a; constexpr P(float v) : a(v) {} };
__device__ constexpr P p(3);
__global__ void k(float* x) { x[0] = p.a; }

//// refused: a copy constructor alone
struct P { float a; P(const P&) = default; };
__device__ P p;
__global__ void k(float* x) { x[0] = p.a; }

//// refused: a base without one
struct P { float a; constexpr P(float v) : a(v) {} }; struct Q : P { using P::P; };
__device__ Q q(2);
__global__ void k(float* x) { x[0] = q.a; }

//// refused: a const member
struct P { const float a; };
__device__ P p = {2};
__global__ void k(float* x) { x[0] = p.a; }

//// refused: a reference member
__device__ float v;
struct P { float& a; };
__device__ P p = {v};
__global__ void k(float* x) { x[0] = p.a; }

//// refused: a private one
class P { P() {} public: float a; constexpr P(float v) : a(v) {} };
__device__ P p(2);
__global__ void k(float* x) { x[0] = p.a; }

//// refused: a deleted one
struct P { float a; P() = delete; constexpr P(float v) : a(v) {} };
__device__ P p(2);
__global__ void k(float* x) { x[0] = p.a; }

//// refused: in a namespace
namespace n { struct P { float a; constexpr P(float v) : a(v) {} }; __device__ P p(2); }
__global__ void k(float* x) { x[0] = n::p.a; }

//// ok: a macro with __device__
#define MAKE(q, T) q T g(T x) { return x; }
MAKE(__device__, float)
__global__ void k(float* x) { x[0] = g(x[1]); }

//// ok: a macro with __device__ and a type
#define BOTH(head) head { return x; }
BOTH(__device__ float g(float x))
__global__ void k(float* x) { x[0] = g(x[1]); }

//// ok: a macro with __device__ and a type after a function
#define BOTH(head) head { return x; }
__device__ float h() { return 1; }
BOTH(__device__ float g(float x))
__global__ void k(float* x) { x[0] = g(x[1]); }

//// ok: const __device__ parameter
__global__ void k(float* x, const __device__ float* y) { x[0] = y[0]; }

//// ok: parameters of a method
struct S { __device__ float g(__device__ float* x) const { return x[0]; } };
__global__ void k(float* x) { x[0] = S().g(x); }

//// ok: managed parameter
__global__ void k(__managed__ float* x) { x[0] = 1; }

//// refused: __device__ main
__device__ int main() { return 0; }

//// ok: extern __constant__
extern __constant__ float w[2];
__global__ void k(float* x, int i) { x[0] = w[i]; }

//// ok: extern __device__
extern __device__ float w[2];
__global__ void k(float* x, int i) { x[0] = w[i]; }

//// ok: extern __device__ number
extern __device__ int n;
__global__ void k(int* x) { x[0] = n; n = 3; }

//// ok: __device__ extern
__device__ extern int n;
__global__ void k(int* x) { x[0] = n; n = 3; }

//// ok: extern __device__ with a value
extern __device__ int n = 4;
__global__ void k(int* x) { x[0] = n; }

//// ok: extern __device__ copied to
extern __device__ int n;
__global__ void k(int* x) { x[0] = n; }
void f(int v) { cudaMemcpyToSymbol(n, &v, 4); }

//// refused: extern __device__ and its definition
extern __device__ int n;
__global__ void k(int* x) { x[0] = n; }
__device__ int n = 3;

//// ok: extern C __device__
extern "C" __device__ int n;
__global__ void k(int* x) { x[0] = n; }

//// ok: extern __managed__
extern __managed__ int n;
__global__ void k(int* x) { x[0] = n; }

//// refused: kernel main
__global__ void main() {}

//// ok: __device__ main in a namespace
namespace n { __device__ int main() { return 0; } }

//// refused: host device main
__host__ __device__ int main() { return 0; }

//// ok: host main
__host__ int main() { return 0; }

//// ok: a method main
struct S { __device__ int main() { return 0; } };

//// ok: a constexpr warpSize, used as one
constexpr int warpSize = 32;
__global__ void k(int* x) { __shared__ int s[warpSize]; s[0] = 1; x[threadIdx.x / warpSize] = s[0]; }

//// ok: CUDA's min and max declared again
int min(int, int);
extern int max(int a, int b);
__global__ void k(int* x, int n) { x[0] = min(n, 3) + max(n, 2); }

//// ok: functions of CUDA's headers declared again
__device__ int min(int a, int b);
float fmaxf(float, float);
float rsqrtf(float);
int __popc(unsigned);
float __expf(float);
__global__ void k(int* x, int n) { x[0] = min(n, 3) + __popc(n); }

//// refused: a min for two ints
__device__ int min(int a, int b) { return a < b ? a : b; }
__global__ void k(int* x, int n) { x[0] = min(n, 3); }

//// refused: a static min, declared alone
static int min(int a, int b);
__global__ void k(int* x, int n) { x[0] = min(n, 3); }
