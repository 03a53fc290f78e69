// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: kernel pack in the middle
template <class... T> __global__ void k(T... v, int* x) { x[0] = sizeof...(v); }
void f(int* x) { k<int, float><<<1, 1>>>(1, 2.f, x); }

//// refused: kernel template with pack not last
template <class... T, class U> __global__ void k(U* x, T... v) { x[0] = sizeof...(v); }
void f(int* x) { k<<<1, 1>>>(x, 1, 2.f); }

//// ok: specialised kernel without global
template <class T> __global__ void k(T* x) { x[0] = 1; }
template <> void k<int>(int* x) { x[0] = 2; }
void f(int* x) { k<<<1, 1>>>(x); }

//// ok: explicit instantiation of a kernel
template <class T> __global__ void k(T* x) { x[0] = 1; }
template __global__ void k<float>(float*);
template __global__ void k(double*);

//// refused: explicit instantiation of a kernel without global
template <class T> __global__ void k(T* x) { x[0] = 1; }
template void k<float>(float*);

//// ok: auto template parameter
template <auto N> __global__ void k(float* x) { x[0] = N; }
void f(float* x) { k<3><<<1, 1>>>(x); k<'a'><<<1, 1>>>(x); k<true><<<1, 1>>>(x); }

//// refused: kernel template of a private class
class A { struct P { int n; }; public: static void f(); };
template <class T> __global__ void k(T x) { }
void A::f() { k<<<1, 1>>>(P{1}); }

//// refused: kernel template of a protected class
class A { protected: struct P { int n; }; public: static void f(); };
template <class T> __global__ void k(T x) { }
void A::f() { k<<<1, 1>>>(P{1}); }

//// ok: kernel template of a public nested class
struct A { struct P { int n; }; static void f(); };
template <class T> __global__ void k(T x) { }
void A::f() { k<<<1, 1>>>(P{1}); }

//// refused: kernel template of an unnamed class
struct { int n; } a;
template <class T> __global__ void k(T x) { }
void f() { k<<<1, 1>>>(a); }

//// ok: kernel of an unnamed class with a typedef name
typedef struct { int n; } A;
template <class T> __global__ void k(T x) { }
void f(A a) { k<<<1, 1>>>(a); }

//// refused: kernel template of an unnamed enum
enum { One = 1 };
template <class T> __global__ void k(T x) { }
void f() { k<<<1, 1>>>(One); }

//// ok: kernel template of a class of an unnamed namespace
namespace { struct A { int n; }; }
template <class T> __global__ void k(T x) { }
void f() { k<<<1, 1>>>(A{1}); }

//// refused: kernel template argument is a template of a local class
#include <utility>
template <class T> __global__ void k(T x) { }
void f() { struct L { int n; }; k<<<1, 1>>>(std::pair<L, int>()); }

//// refused: kernel template with pointer to a local class
template <class T> __global__ void k(T* x) { }
void f() { struct L { int n; }; L* l = nullptr; k<<<1, 1>>>(l); }

//// refused: kernel template with pointer to a private class
class A { struct P { int n; }; public: static void f(P* p); };
template <class T> __global__ void k(T* x) { }
void A::f(P* p) { k<<<1, 1>>>(p); }

//// refused: a lambda at file scope with device
__device__ auto twice = [](float v) { return 2 * v; };
__global__ void k(float* x) { x[0] = twice(x[1]); }

//// ok: an auto lambda at file scope used by the host
auto twice = [](float v) { return 2 * v; };
float f() { return twice(2); }
__global__ void k(float* x) { x[0] = 1; }

//// ok: if constexpr with a wrong branch in a template
template <class T> __global__ void k(T* x) { if constexpr (sizeof(T) == 4) x[0] = 1; else x[0].y = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// refused: if constexpr with a wrong branch outside of a template
__global__ void k(float* x) { if constexpr (sizeof(float) == 4) x[0] = 1; else x[0].y = 1; }

//// ok: if constexpr with a host function in the branch not taken
float host(float v) { return v; }
template <class T> __global__ void k(T* x) { if constexpr (sizeof(T) == 4) x[0] = 1; else x[0] = host(1); }
void f(float* x) { k<<<1, 1>>>(x); }

//// ok: if constexpr with a host function in a branch not taken outside of a template
float host(float v) { return v; }
__global__ void k(float* x) { if constexpr (sizeof(float) == 4) x[0] = 1; else x[0] = host(1); }

//// refused: if constexpr with a condition of run time
__global__ void k(float* x, int n) { if constexpr (n > 3) x[0] = 1; }

//// refused: if false with a host function
float host(float v) { return v; }
__global__ void k(float* x) { if (false) x[0] = host(1); }

//// refused: missing typename
template <class T> __global__ void k(T* x) { T::value_type v = 1; x[0] = v; }

//// refused: missing template word
struct A { template <int N> __device__ int get() { return N; } };
template <class T> __global__ void k(T a, int* x) { x[0] = a.get<3>(); }
void f(int* x) { k<<<1, 1>>>(A(), x); }

//// refused: static kernel declared and never defined, launched
static __global__ void k(int* x);
void f(int* x) { k<<<1, 1>>>(x); }

//// ok: decltype of a kernel call in a kernel
__global__ void g(int* x) {}
__global__ void k(int* x) { using T = decltype(g(x)); T* p = x; x[0] = p == x; }

//// ok: decltype of a kernel call at file scope
__global__ void g(int* x) {}
using T = decltype(g((int*)nullptr));

//// ok: decltype of a kernel
__global__ void g(int* x) {}
using T = decltype(g);
using P = decltype(&g);
void f(int* x) { P p = g; p<<<1, 1>>>(x); }

//// ok: sizeof of a kernel call with comma
__global__ void g(int* x) {}
int f(int* x) { return sizeof((g(x), 1)); }

//// refused: a kernel call behind decltype
__global__ void g(int* x) {}
void f(int* x) { using T = decltype(g(x)); g(x); }

//// ok: sfinae over a kernel call
template <class T> __global__ void g(T* x) {}
template <class T> auto f(T* x) -> decltype(g(x)) { g<<<1, 1>>>(x); }
void h(int* x) { f(x); }

//// refused: a kernel call of wrong arguments in decltype
__global__ void g(int* x) {}
void f(int* x) { using T = decltype(g(x, 1)); }

//// ok: decltype of a class's method with a kernel's name
__global__ void g(int* x) {}
struct A { int g(int); int n; };
int f(A a) { return sizeof(decltype(a.g(1))); }

//// ok: decltype of a lambda with a kernel's name
__global__ void g(int* x) {}
int f(float x) { auto g = [](int i) { return i; }; return sizeof(decltype(g(3))); }

//// ok: a local class with a constructor in decltype
struct A { A(int); };
__global__ void k(int* x) { x[0] = sizeof(A(3)); }

//// ok: explicit instantiation of a device function without device
template <class T> __device__ T f(T x) { return x; }
template int f<int>(int);
__global__ void k(int* x) { x[0] = f(1); }

//// ok: explicit instantiation of a device function with device
template <class T> __device__ T f(T x) { return x; }
template __device__ int f<int>(int);
__global__ void k(int* x) { x[0] = f(1); }

//// ok: explicit instantiation of a kernel of two parameters
template <class T, int N> __global__ void k(T* x) { x[0] = N; }
template __global__ void k<float, 3>(float*);
template __global__ void k<float, 4>(float* x);

//// refused: explicit instantiation of a kernel with wrong types
template <class T> __global__ void k(T* x) { x[0] = 1; }
template __global__ void k<float>(int*);

//// ok: if constexpr by a template's number
float host(float v) { return v; }
template <int N> __global__ void k(float* x) { if constexpr (N > 2) x[0] = 1; else x[0] = host(1); }
void f(float* x) { k<3><<<1, 1>>>(x); }

//// ok: if constexpr else if
float host(float v) { return v; }
__global__ void k(float* x) { if constexpr (false) x[0] = host(1); else if constexpr (true) x[0] = 2; else x[0] = host(3); }

//// refused: if constexpr takes the branch of the host
float host(float v) { return v; }
__global__ void k(float* x) { if constexpr (true) x[0] = host(1); else x[0] = 2; }

//// ok: if constexpr with a host variable in the branch not taken
float host = 1;
__global__ void k(float* x) { if constexpr (false) x[0] = host; else x[0] = 2; }

//// ok: if constexpr with a host table in the branch not taken
constexpr float t[2] = {1, 2};
__global__ void k(float* x, int i) { if constexpr (false) x[0] = t[i]; else x[0] = 2; }

//// ok: if constexpr with a launch in the branch not taken
__global__ void g(float* x) {}
__global__ void k(float* x) { if constexpr (false) g<<<1, 1>>>(x); else x[0] = 2; }

//// refused: if constexpr with a throw in the branch not taken
__global__ void k(float* x) { if constexpr (false) throw 1; else x[0] = 2; }

//// ok: if constexpr with a std::vector in the branch not taken
#include <vector>
__global__ void k(float* x) { if constexpr (false) { std::vector<int> v(3); x[0] = v[1]; } else x[0] = 2; }

//// ok: if constexpr with a device function on the host in the branch not taken
__device__ float dev(float v) { return v; }
float f(float x) { if constexpr (false) return dev(x); else return 2; }

//// ok: if constexpr with an initialiser
__global__ void k(float* x) { if constexpr (constexpr int n = 3; n > 2) x[0] = n; else x[0] = 2; }

//// ok: if constexpr around return
template <bool B> __device__ float f(float x) { if constexpr (B) return x; return 2 * x; }
__global__ void k(float* x) { x[0] = f<true>(x[0]) + f<false>(x[1]); }

//// refused: a host function behind return
float host(float v) { return v; }
__global__ void k(float* x) { x[0] = 1; return; x[1] = host(2); }

//// ok: a host function behind && false
float host(float v) { return v; }
__global__ void k(float* x) { if (false && host(1) > 0) x[0] = 1; }

//// ok: a host function in a ternary not taken
float host(float v) { return v; }
__global__ void k(float* x) { x[0] = true ? 1.f : host(1); }

//// ok: a pack and a kernel instance
template <class... T> __global__ void k(int* x, T*... v) { ((v[0] = 1), ...); }
template __global__ void k<int, float>(int*, int*, float*);

//// ok: a kernel template with a number before its pack
template <int N, class... T> __global__ void k(int* x, T... v) { x[0] = N; }
void f(int* x) { k<3><<<1, 1>>>(x, 1, 2.f); }

//// ok: a kernel template with a pack of numbers
template <int... N> __global__ void k(int* x) { x[0] = (N + ...); }
void f(int* x) { k<3, 4><<<1, 1>>>(x); }

//// refused: a kernel template with a pack of numbers and a type
template <int... N, class T> __global__ void k(T* x) { x[0] = (N + ...); }
void f(int* x) { k<3, 4><<<1, 1>>>(x); }

//// ok: a kernel template with a template pack
template <template <class...> class V, class T> __global__ void k(T* x) { x[0] = 1; }
template <class...> struct L {};
void f(int* x) { k<L><<<1, 1>>>(x); }
