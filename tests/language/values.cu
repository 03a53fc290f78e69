// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: nested designators
struct A { int a, b; }; struct B { A a; int c; };
__global__ void k(int* x) { B s = {.a.b = 1}; x[0] = s.a.b; }

//// ok: empty kernel with braces
struct S { int a, b; };
__global__ void k(S s) {}
void f() { k<<<1, 1>>>({1, 2}); }

//// ok: empty kernel with braces int
__global__ void k(int s) {}
void f() { k<<<1, 1>>>({1}); }

//// ok: nonempty kernel with braces
struct S { int a, b; };
__global__ void k(S s, int* x) { x[0] = s.a; }
void f(int* x) { k<<<1, 1>>>({1, 2}, x); }

//// ok: empty braces
__global__ void k(int* x) { }
void f(int* x) { k<<<1, 1>>>({}); }

//// ok: nested of three
struct A { int a, b; }; struct B { A a; int c; }; struct C { B b; int d; };
__global__ void k(int* x) { C s = {.b.a.b = x[1] + (x[2], 3), .d = 2}; x[0] = s.b.a.b + s.d; C t{.b.c{4}}; x[1] = t.b.c; }

//// ok: nested in a device function's return
struct A { int a, b; }; struct B { A a; int c; };
__device__ B g() { return {.a.a = 1, .c = 3}; }
__global__ void k(int* x) { x[0] = g().a.a; }

//// ok: nested for both sides
struct A { int a, b; }; struct B { A a; int c; };
__host__ __device__ B g() { return {.a.a = 1, .c = 3}; }
__global__ void k(int* x) { x[0] = g().a.a; }

//// ok: nested as an argument
struct A { int a, b; }; struct B { A a; int c; };
__device__ int g(B b) { return b.a.a; }
__global__ void k(int* x) { x[0] = g({.a.a = 1}); }

//// refused: nested of an unknown member
struct A { int a, b; }; struct B { A a; int c; };
__global__ void k(int* x) { B s = {.a.z = 1}; x[0] = s.a.b; }

//// ok: default argument by value
struct M { float a[8]; };
__noinline__ __device__ float f(M m, int i = 1) { return m.a[i]; }
__global__ void k(M* m, float* x) { x[0] = f(m[0]); }

//// ok: default argument structure by value
struct M { float a[8]; };
__noinline__ __device__ float f(M m = M{{1, 2}}, int i = 1) { return m.a[i]; }
__global__ void k(M* m, float* x) { x[0] = f(m[0]) + f(); }

//// ok: default argument of a method
struct M { float a[8]; };
struct S { __noinline__ __device__ float f(M m, int i = 1) const { return m.a[i]; } };
__global__ void k(M* m, float* x) { S s; x[0] = s.f(m[0]) + s.f(m[1], 2); }

//// ok: default argument declared before
struct M { float a[8]; };
__noinline__ __device__ float f(M m, int i = 1);
__global__ void k(M* m, float* x) { x[0] = f(m[0]); }
__noinline__ __device__ float f(M m, int i) { return m.a[i]; }

//// ok: default argument of a template
struct M { float a[8]; };
template <typename T> __noinline__ __device__ T f(M m, T i = T(1)) { return m.a[int(i)]; }
__global__ void k(M* m, float* x) { x[0] = f<float>(m[0]); }

//// ok: recursive with default
struct M { float a[8]; };
__device__ M f(M m, int depth = 0, M n = {}) { if (depth == 3) return n; m.a[depth] = depth; return f(m, depth + 1, m); }
__global__ void k(M* m) { m[1] = f(m[0]); }

//// ok: default with a template's value
struct M { float a[8]; };
template <int A, int B> struct Q { static constexpr int value = A + B; };
__noinline__ __device__ float f(M m, int i = Q<1, 2>::value) { return m.a[i]; }
__global__ void k(M* m, float* x) { x[0] = f(m[0]); }

//// ok: virtual by value given
struct M { float a[8]; };
struct B { __device__ virtual M f(int i) const { M m; m.a[1] = i; return m; } };
struct D : B { __device__ M f(int i) const override { M m; m.a[2] = i; return m;} };
__global__ void k(M* m, float* x, int i) { D d; B e; B* b = i ? &d : &e; m[0] = b->f(i); }

//// ok: virtual by value two
struct M { float a[8]; };
struct B { __device__ virtual float f(M m) const { return m.a[1]; } };
struct D : B { __device__ float f(M m) const override { return m.a[2]; } };
__global__ void k(M* m, float* x, int i) { D d; B e; B* b = i ? &d : &e; x[0] = b->f(m[0]); }

//// ok: virtual small structures
struct V { float e[3]; };
struct B { __device__ virtual V f(float u, V p) const = 0; };
struct D : B { V c; __device__ D(V v) : c(v) {} __device__ V f(float u, V p) const override { return c; } };
struct E : B { __device__ V f(float u, V p) const override { p.e[0] *= u; return p; } };
__global__ void k(V* m, int i) { D d(m[0]); E e; B* b = i ? (B*)&d : &e; m[1] = b->f(2.f, m[2]); }

//// ok: virtual ray tracer
struct V { float x, y, z; __device__ V operator+(V o) const { return {x + o.x, y + o.y, z + o.z}; } __device__ V operator*(float f) const { return {x * f, y * f, z * f}; } };
struct Ray { V o, d; __device__ V at(float t) const { return o + d * t; } };
struct Hit { float t; V p, n; };
struct Shape { __device__ virtual bool hit(Ray r, Hit& h) const = 0; __device__ virtual ~Shape() {} };
struct Sphere : Shape { V c; float r; __device__ Sphere(V c, float r) : c(c), r(r) {} __device__ bool hit(Ray ray, Hit& h) const override { h.p = ray.at(h.t = r); return h.p.x > 0; } };
struct List : Shape { Shape** all; int n; __device__ List(Shape** a, int n) : all(a), n(n) {} __device__ bool hit(Ray r, Hit& h) const override { bool any = false; for (int i = 0; i < n; i++) any |= all[i]->hit(r, h); return any; } };
__global__ void make(Shape** s, Shape** w) { s[0] = new Sphere(V{0, 0, 1}, 1); s[1] = new Sphere(V{0, 1, 1}, 2); *w = new List(s, 2); }
__global__ void k(Shape** w, float* x) { Hit h; Ray r{{0, 0, 0}, {1, 0, 0}}; x[threadIdx.x] = (*w)->hit(r, h) ? h.p.x : 0; }

//// ok: virtual by value with the base's called
struct M { float a[8]; };
struct B { __device__ virtual float f(M m) const { return m.a[1]; } };
struct D : B { __device__ float f(M m) const override { return m.a[2] + B::f(m); } };
__global__ void k(M* m, float* x, int i) { D d; B e; B* b = i ? &d : &e; x[0] = b->f(m[0]); }

//// ok: virtual behind public
struct M { float a[8]; };
class B { public: __device__ virtual float f(M m) const = 0; __device__ virtual ~B() {} };
class D : public B { float s; public: __device__ D(float s) : s(s) {}
  __device__ float f(M m) const override { return m.a[2] * s; } };
class E : public D { public: __device__ E() : D(2) {} __device__ virtual float f(M m) const { return D::f(m) + 1; } };
__global__ void k(M* m, float* x, int i) { D d(2); E e; B* b = i ? (B*)&d : &e; x[0] = b->f(m[0]); x[1] = e.f(m[1]); }

//// ok: virtual defined outside
struct M { float a[8]; };
struct B { __device__ virtual float f(M m) const; };
__device__ float B::f(M m) const { return m.a[1]; }
__global__ void k(M* m, float* x) { B b; M n = m[0]; x[0] = b.f(n); }

//// ok: virtual with a default argument
struct M { float a[8]; };
struct B { __device__ virtual float f(M m, int i = 1) const { return m.a[i]; } };
struct D : B { __device__ float f(M m, int i = 1) const override { return m.a[i + 1]; } };
__global__ void k(M* m, float* x, int i) { D d; B e; B* b = i ? &d : &e; x[0] = b->f(m[0]) + b->f(m[1], 2); }

//// ok: virtual of a template
struct M { float a[8]; };
template <typename T> struct B { __device__ virtual T f(M m) const = 0; };
template <typename T> struct D : B<T> { __device__ T f(M m) const override { return m.a[2]; } };
template <typename T> struct E : B<T> { __device__ T f(M m) const override { return m.a[3]; } };
__global__ void k(M* m, float* x, int i) { D<float> d; E<float> e; B<float>* b = i ? (B<float>*)&d : &e; x[0] = b->f(m[0]); }

//// ok: virtual on both sides
struct M { float a[8]; };
struct B { __host__ __device__ virtual float f(M m) const = 0; };
struct D : B { __host__ __device__ float f(M m) const override { return m.a[2]; } };
struct E : B { __host__ __device__ float f(M m) const override { return m.a[3]; } };
__global__ void k(M* m, float* x, int i) { D d; E e; B* b = i ? (B*)&d : &e; x[0] = b->f(m[0]); }
float h(M m) { D d; B& b = d; return b.f(m); }

//// ok: a method behind public that is not inlined
struct M { float a[8]; };
struct S { int i; public: __device__ __noinline__ float f(M m) const { return m.a[i]; } };
__global__ void k(M* m, float* x) { S s{1}; x[0] = s.f(m[0]); }

//// ok: cuComplex in a kernel
#include <cuComplex.h>
__global__ void k(cuFloatComplex* x) { x[0] = cuCaddf(x[1], cuCmulf(x[2], make_cuFloatComplex(1, 0))); x[1].x = cuCabsf(x[0]); x[2] = cuConjf(x[1]); x[3] = cuCdivf(x[2], x[1]); x[0].y = cuCrealf(x[1]) + cuCimagf(x[1]); }

//// ok: cuComplex on the host and of doubles
#include "cuComplex.h"
__global__ void k(cuDoubleComplex* x, cuComplex* y) { x[0] = cuCfma(x[1], x[2], x[3]); y[0] = cuComplexDoubleToFloat(cuCsub(x[0], x[1])); }
double f(cuDoubleComplex a) { return cuCabs(cuCmul(a, make_cuDoubleComplex(1, 2))); }

//// refused: cuComplex without its header
__global__ void k(cuComplex* x) { x[0] = x[1]; }

//// refused: cuComplex with operators
#include <cuComplex.h>
__global__ void k(cuComplex* x) { x[0] = x[1] * x[2]; }

//// ok: own operators of cuComplex
#include <cuComplex.h>
__device__ cuComplex operator*(cuComplex a, cuComplex b) { return cuCmulf(a, b); }
__global__ void k(cuComplex* x) { x[0] = x[1] * x[2]; }

//// ok: julia
struct cuComplex { float r, i; __device__ cuComplex(float a, float b) : r(a), i(b) {} __device__ float magnitude2() { return r * r + i * i; } __device__ cuComplex operator*(const cuComplex& a) { return cuComplex(r * a.r - i * a.i, i * a.r + r * a.i); } __device__ cuComplex operator+(const cuComplex& a) { return cuComplex(r + a.r, i + a.i); } };
__device__ int julia(int x, int y) { cuComplex c(-0.8, 0.156), a(x, y); for (int i = 0; i < 200; i++) { a = a * a + c; if (a.magnitude2() > 1000) return 0; } return 1; }
__global__ void k(unsigned char* p) { p[blockIdx.x * 4] = 255 * julia(blockIdx.x, blockIdx.y); }
