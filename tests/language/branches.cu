// Branches of `if constexpr` with the verdict of nvcc (see snippets.py).

//// refused: if constexpr takes a host function by its template's bool
float h(float x) { return x; }
template <bool B> __global__ void k(float* x) { if constexpr (B) x[0] = h(x[0]); else x[0] = 1; }
void f(float* x) { k<true><<<1, 1>>>(x); }

//// ok: if constexpr leaves a host function out by its template's bool
float h(float x) { return x; }
template <bool B> __global__ void k(float* x) { if constexpr (B) x[0] = h(x[0]); else x[0] = 1; }
void f(float* x) { k<false><<<1, 1>>>(x); }

//// refused: if constexpr takes a host function in one of two instances
float h(float x) { return x; }
template <bool B> __global__ void k(float* x) { if constexpr (!B) { x[0] = 1; } else { x[0] = h(x[0]); } }
void f(float* x) { k<false><<<1, 1>>>(x); k<true><<<1, 1>>>(x); }

//// refused: if constexpr takes a host function by its template's type
#include <type_traits>
float h(float x) { return x; }
template <class T> __global__ void k(T* x) { if constexpr (std::is_same_v<T, float>) x[0] = h(x[0]); else x[0] = 1; }
void f(float* x) { k<float><<<1, 1>>>(x); }

//// ok: if constexpr of a type leaves a host function out
#include <type_traits>
float h(float x) { return x; }
template <class T> __global__ void k(T* x) { if constexpr (std::is_same_v<T, float>) x[0] = h(x[0]); else x[0] = 1; }
void f(int* x) { k<int><<<1, 1>>>(x); }

//// refused: if constexpr in an if constexpr takes a host function
float h(float x) { return x; }
template <int N> __global__ void k(float* x) {
    if constexpr (N > 2) { if constexpr (N > 4) x[0] = h(1); else x[0] = 2; }
    else x[0] = 1;
}
void f(float* x) { k<5><<<1, 1>>>(x); }

//// ok: if constexpr in an if constexpr leaves a host function out
float h(float x) { return x; }
template <int N> __global__ void k(float* x) {
    if constexpr (N > 2) { if constexpr (N > 4) x[0] = h(1); else x[0] = 2; }
    else x[0] = 1;
}
void f(float* x) { k<1><<<1, 1>>>(x); k<3><<<1, 1>>>(x); }

//// refused: if constexpr else if takes a host function
float h(float x) { return x; }
template <int N> __global__ void k(float* x) { if constexpr (N == 0) x[0] = 1; else if constexpr (N == 1) x[0] = h(2); else x[0] = 3; }
void f(float* x) { k<1><<<1, 1>>>(x); }

//// ok: if constexpr else if leaves a host function out
float h(float x) { return x; }
template <int N> __global__ void k(float* x) { if constexpr (N == 0) x[0] = 1; else if constexpr (N == 1) x[0] = h(2); else x[0] = 3; }
void f(float* x) { k<2><<<1, 1>>>(x); k<0><<<1, 1>>>(x); }

//// refused: if constexpr of a device template takes a host function
float h(float x) { return x; }
template <int N> __device__ float g(float x) { if constexpr (N > 0) { return h(x); } return 2; }
__global__ void k(float* x) { x[0] = g<1>(1); }

//// ok: if constexpr of a template that is never made
float h(float x) { return x; }
template <int N> __device__ float g(float x) { if constexpr (N > 0) { return h(x); } return 2; }
__global__ void k(float* x) { x[0] = 1; }

//// refused: if constexpr takes a host variable by its template's bool
float h = 1;
template <bool B> __global__ void k(float* x) { if constexpr (B) x[0] = h; else x[0] = 1; }
void f(float* x) { k<true><<<1, 1>>>(x); }

//// refused: if constexpr takes a host vector by its template's bool
#include <vector>
template <bool B> __global__ void k(float* x) { if constexpr (B) { std::vector<float> v; x[0] = v.size(); } else x[0] = 1; }
void f(float* x) { k<true><<<1, 1>>>(x); }

//// ok: if constexpr of both sides in a template of both sides
float h(float x) { return x; }
__device__ float d(float x) { return x; }
template <bool B> __host__ __device__ float g(float x) { if constexpr (B) return d(x); else return h(x); }
__global__ void k(float* x) { x[0] = g<true>(1); }
float f() { return g<false>(1); }

//// refused: if constexpr with an initialiser takes a host function
float h(float x) { return x; }
template <int N> __global__ void k(float* x) { if constexpr (constexpr int m = N * 2; m > 3) x[0] = h(1); else x[0] = 2; }
void f(float* x) { k<2><<<1, 1>>>(x); }

//// refused: if constexpr by an explicit instance
float h(float x) { return x; }
template <int N> __global__ void k(float* x) { if constexpr (N > 3) x[0] = h(1); else x[0] = 2; }
template __global__ void k<4>(float*);

//// refused: if constexpr in a generic lambda takes a host function
float h(float x) { return x; }
__global__ void k(float* x) { auto f = [&](auto v) { if constexpr (sizeof(v) > 4) x[0] = h(1); else x[0] = 2; }; f(1.0); }

//// ok: if constexpr in a generic lambda leaves a host function out
float h(float x) { return x; }
__global__ void k(float* x) { auto f = [&](auto v) { if constexpr (sizeof(v) > 4) x[0] = h(1); else x[0] = 2; }; f(1.0f); }

//// refused: if constexpr in a method of a class template takes a host function
float h(float x) { return x; }
template <int N> struct S { __device__ float get(float x) { if constexpr (N > 1) return h(x); else return x; } };
__global__ void k(float* x) { x[0] = S<2>().get(1); }

//// ok: if constexpr by a macro's condition
#define IS(n) (N == n)
float h(float x) { return x; }
template <int N> __global__ void k(float* x) { if constexpr (IS(1)) x[0] = h(1); else x[0] = 2; }
void f(float* x) { k<0><<<1, 1>>>(x); }

//// refused: if constexpr by a macro's condition taken
#define IS(n) (N == n)
float h(float x) { return x; }
template <int N> __global__ void k(float* x) { if constexpr (IS(1)) x[0] = h(1); else x[0] = 2; }
void f(float* x) { k<1><<<1, 1>>>(x); }
