// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// refused: vector size as a kernel's parameter
typedef float V __attribute__((vector_size(16)));
__global__ void k(V v, float* x) { x[0] = 1; }

//// refused: vector size as a kernel's local
typedef float V __attribute__((vector_size(16)));
__global__ void k(float* x) { V v = {1, 2, 3, 4}; x[0] = v[0]; }

//// refused: vector size pointer as a kernel's parameter
typedef float V __attribute__((vector_size(16)));
__global__ void k(V* v, float* x) { x[0] = 1; }

//// refused: vector size struct
typedef float V __attribute__((vector_size(16)));
struct A { V v; };
__global__ void k(A v, float* x) { x[0] = 1; }

//// refused: vector on both sides
typedef float V __attribute__((vector_size(16)));
__host__ __device__ float g(V v) { return v[0]; }
__global__ void k(float* x) { x[0] = 1; }

//// refused: vector in a template not instantiated
typedef float V __attribute__((vector_size(16)));
template <typename T> __device__ float g(V v) { return v[0]; }
__global__ void k(float* x) { x[0] = 1; }

//// refused: vector by a cast
typedef float V __attribute__((vector_size(16)));
__global__ void k(float* x) { *(V*)x = *(V*)(x + 4); }

//// refused: vector by auto
typedef float V __attribute__((vector_size(16)));
__global__ void k(float* x) { auto v = *(V*)x; x[4] = v[0]; }

//// refused: vector in a shared array
typedef float V __attribute__((vector_size(16)));
__global__ void k(float* x) { __shared__ V v[4]; x[4] = sizeof v; }

//// refused: vector in a device variable
typedef float V __attribute__((vector_size(16)));
__device__ V v;
__global__ void k(float* x) { x[4] = sizeof v; }

//// refused: vector's sizeof
typedef float V __attribute__((vector_size(16)));
__global__ void k(float* x) { x[0] = sizeof(V); }

//// ok: vector in a struct's method
typedef float V __attribute__((vector_size(16)));
struct A { V v; __device__ float get() const { return v[0]; } };
__global__ void k(float* x) { x[0] = 1; }

//// ok: vector as a template's argument
typedef float V __attribute__((vector_size(16)));
template <typename T> __global__ void k(T* x) { x[0] = x[1]; }
void f(V* x) { k<V><<<1, 1>>>(x); }
