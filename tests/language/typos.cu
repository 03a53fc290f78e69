// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// refused: global without underscores
global void k(int* x) { x[0] = 1; }

//// refused: __syncthread
__global__ void k(int* x) { __syncthread(); x[0] = 1; }

//// refused: a missing closing bracket
__global__ void k(int* x) { x[0 = 1; }

//// refused: a semicolon behind a kernel's head
__global__ void k(int* x); { x[0] = 1; }

//// refused: => for >=
__global__ void k(int* x) { if (x[0] => x[1]) x[3] = 1; }

//// refused: for with range of Python
__global__ void k(int* x) { for i in range(3): x[i] = 1 }

//// refused: an array returned
__device__ int[3] f() { return {1, 2, 3}; }
__global__ void k(int* x) { x[0] = f()[0]; }

//// refused: a pointer times a number
__global__ void k(int* x) { int* y = x * 2; y[0] = 1; }

//// ok: an int assigned a pointer by a cast
__global__ void k(int* x) { int y = (int)x; long z = (long)x; x[0] = y + z; }

//// refused: a reference to a literal
__global__ void k(int* x) { int& r = 3; x[0] = r; }

//// refused: a kernel that returns an int
__global__ int k(int* x) { return x[0]; }

//// refused: a parameter's default that is another parameter
__global__ void k(int* x, int n = 3, int m = n) { x[0] = m; }

//// refused: typographic quotes
#include <cstdio>
__global__ void k(int* x) { printf(“hello”); x[0] = 1; }

//// ok: a variable named int4
__global__ void k(int* x) { int int4 = 3; x[0] = int4; }

//// refused: boolean
__global__ void k(boolean* x) { x[0] = true; }

//// refused: print
__global__ void k(int* x) { print("a"); x[0] = 1; }

//// refused: Math.max
__global__ void k(float* x) { x[0] = Math.max(x[1], x[2]); }

//// ok: __shfl_down_sync with the mask last
__global__ void k(int* x) { x[0] = __shfl_down_sync(x[1], 1, 0xffffffff); }

//// refused: a struct's member with the wrong sign
struct P { int a; };
__global__ void k(P* p) { p.a = 1; }

//// refused: a const object's plain method
struct P { int a; __device__ int get() { return a; } };
__global__ void k(const P p, int* x) { x[0] = p.get(); }
