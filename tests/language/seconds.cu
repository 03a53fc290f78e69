// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: big struct by value and back
struct Tile { float v[8][8]; };
__device__ __noinline__ Tile scale(Tile t, float a) { for (auto& r : t.v) for (float& e : r) e *= a; return t; }
__global__ void k(Tile* t) { t[threadIdx.x] = scale(t[threadIdx.x], 2); }

//// ok: struct returned through a chain
struct P { float a, b, c; };
__device__ P make(const float* x) { return {x[0], x[1], x[2]}; }
__device__ P add(P p, const P& q) { return {p.a + q.a, p.b + q.b, p.c + q.c}; }
__global__ void k(float* x, P* out) { *out = add(add(make(x), make(x + 3)), make(x + 6)); }

//// ok: virtual method that gives a structure
struct P { float a[4]; };
struct B { __device__ virtual P get() const = 0; };
struct C : B { float v; __device__ C(float v) : v(v) {} __device__ P get() const override { return {{v, v, v, v}}; } };
__global__ void k(P* p, float v) { C c(v); const B& b = c; p[0] = b.get(); }

//// ok: lambda kept in a struct
template <class F> struct Each { F f; __device__ void operator()(int n) const { for (int i = threadIdx.x; i < n; i += blockDim.x) f(i); } };
template <class F> __device__ void each(int n, F f) { Each<F>{f}(n); }
__global__ void k(float* x, int n) { each(n, [=](int i) { x[i] *= 2; }); }

//// ok: std tuple and apply in a kernel
#include <tuple>
__global__ void k(float* x) { auto t = std::make_tuple(x[0], 2, 3.0); x[1] = std::get<0>(t) + std::get<1>(t) + std::get<2>(t); x[2] = std::apply([](auto... v) { return (v + ...); }, t); }

//// ok: constexpr std array table
#include <array>
constexpr std::array<int, 4> make() { std::array<int, 4> t{}; for (int i = 0; i < 4; ++i) t[i] = i * i; return t; }
__global__ void k(int* x) { constexpr auto t = make(); x[0] = t[2]; for (int i = 0; i < 4; ++i) x[i] = t[i]; }

//// ok: placement new into shared memory
#include <new>
struct S { float v; __device__ S(float v) : v(v) {} };
__global__ void k(float* x) { __shared__ alignas(S) unsigned char raw[sizeof(S)]; if (threadIdx.x == 0) new (raw) S(x[0]); __syncthreads(); x[threadIdx.x] = reinterpret_cast<S*>(raw)->v; }

//// ok: shared memory through a union of arrays in a template
template <class T, int N> struct Storage { union { T items[N]; unsigned char bytes[N * sizeof(T)]; }; };
__global__ void k(float* x) { __shared__ Storage<float, 64> s; s.items[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s.bytes[threadIdx.x]; }

//// ok: array reference returned
struct M { float v[4][4]; __device__ float (&row(int i))[4] { return v[i]; } };
__global__ void k(M* m) { float (&r)[4] = m->row(1); for (float& e : r) e = 1; }

//// ok: pointer to array and array of pointers
__global__ void k(float* x) { float t[2][4]; float (*p)[4] = t; p[1][2] = x[0]; float* q[2] = {t[0], t[1]}; q[0][0] = 1; x[0] = p[1][2] + q[0][0]; }

//// ok: pointer walk
__global__ void k(const float* x, float* z, int n) { const float* end = x + n; float s = 0; for (const float* p = x + threadIdx.x; p < end; p += blockDim.x) s += *p; z[threadIdx.x] = s; }

//// ok: comma and ternary chains
__global__ void k(int* x, int n) { for (int i = 0, j = n; i < j; ++i, --j) x[i] = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 3; }

//// ok: do while and continue
__global__ void k(int* x, int n) { int i = threadIdx.x; do { if (i % 2) continue; x[i] = i; } while ((i += blockDim.x) < n); }

//// ok: duff's device
__global__ void k(int* x, int n) { int i = 0; switch (n % 4) { case 0: do { x[i++] = 1; case 3: x[i++] = 1; case 2: x[i++] = 1; case 1: x[i++] = 1; } while (i < n); } }

//// ok: labels and goto loop
__global__ void k(int* x, int n) { int i = threadIdx.x; again: if (i < n) { x[i] = i; i += blockDim.x; goto again; } }

//// ok: volatile struct member
struct S { volatile int flag; int v; };
__global__ void k(S* s) { if (threadIdx.x == 0) { s->v = 1; __threadfence(); s->flag = 1; } }

//// refused: volatile structure copied
struct S { int a, b; };
__global__ void k(volatile S* s, S* out) { *out = *s; }

//// ok: const volatile pointer cast
__global__ void k(const volatile float* x, float* z) { z[0] = *x + ((float*)x)[1]; }

//// ok: size_t loop down with unsigned wrap
__global__ void k(float* x, unsigned n) { for (unsigned i = n; i-- > 0;) x[i] = i; }

//// ok: char arithmetic and strings
__global__ void k(char* s, int n) { const char* hex = "0123456789abcdef"; for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = hex[i & 15]; char t[] = "abc"; s[0] = t[1]; }

//// ok: multidimensional constexpr
__global__ void k(float* x) { constexpr float w[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}; float s = 0; for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) s += w[i][j] * x[i * 3 + j]; x[0] = s; }

//// ok: fold over sequence
#include <utility>
template <int... I> __device__ void put(float* x, std::integer_sequence<int, I...>) { ((x[I] = I), ...); }
__global__ void k(float* x) { put(x, std::make_integer_sequence<int, 4>{}); }

//// ok: inherited constructors and using
struct A { float v; __host__ __device__ A(float v) : v(v) {} __device__ float get() const { return v; } };
struct B : A { using A::A; using A::get; };
__global__ void k(B b, float* x) { x[0] = b.get(); }
void f(float* x) { k<<<1, 1>>>(B(2), x); }

//// ok: copy constructor of the device
struct A { float v; __host__ __device__ A(float v) : v(v) {} __host__ __device__ A(const A& o) : v(o.v + 1) {} };
__global__ void k(A a, float* x) { A b = a; x[0] = b.v; }
void f(float* x) { k<<<1, 1>>>(A(2), x); }

//// refused: deleted copy given to a kernel
struct A { float v = 1; A() = default; A(const A&) = delete; };
__global__ void k(A a, float* x) { x[0] = a.v; }
void f(float* x) { A a; k<<<1, 1>>>(a, x); }

//// refused: unique_ptr given to a kernel
#include <memory>
__global__ void k(std::unique_ptr<float> p) { *p = 1; }
void f() { k<<<1, 1>>>(std::make_unique<float>(1.f)); }

//// refused: string given to a kernel
#include <string>
#include <cstdio>
__global__ void k(std::string s) { printf("%s", s.c_str()); }
void f() { k<<<1, 1>>>("a"); }

//// ok: nullptr given to a kernel
__global__ void k(float* x, const float* y) { if (y) x[0] = *y; }
void f(float* x) { k<<<1, 1>>>(x, nullptr); k<<<1, 1>>>(x, 0); k<<<1, 1>>>(x, NULL); }

//// refused: host vector data given to a kernel
#include <vector>
__global__ void k(float* x) { x[0] = 1; }
void f(std::vector<float>& v) { k<<<1, 1>>>(v); }

//// refused: double pointer given to a kernel of float
__global__ void k(float* x) { x[0] = 1; }
void f(double* x) { k<<<1, 1>>>(x); }

//// refused: void pointer given to a kernel
__global__ void k(float* x) { x[0] = 1; }
void f(void* x) { k<<<1, 1>>>(x); }

//// refused: pointer of a pointer given to a kernel
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 1>>>(&x); }

//// ok: launch with a float grid
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, int n) { k<<<ceil(n / 256.0), 256>>>(x); }

//// refused: launch with the stream third
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, cudaStream_t s) { k<<<1, 256, s>>>(x); }

//// refused: launch without parentheses
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k<<<1, 256>>>; }

//// ok: launch with blanks in the signs
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { k << <1, 256 >> >(x); }

//// refused: launch as a condition
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { if (k<<<1, 1>>>(x)) x = 0; }

//// ok: launch in a return
__global__ void k(float* x) { x[0] = 1; }
void f(float* x) { return k<<<1, 1>>>(x); }

//// ok: device lambda assigned to auto in a kernel calls syncthreads
__global__ void k(float* x) { auto sync = [] { __syncthreads(); }; x[0] = 1; sync(); }

//// ok: default member initialiser by a lambda
struct S { int a = [] { return 3; }(); };
__global__ void k(int* x) { S s; x[0] = s.a; }
