// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// refused: cudaMemcpyToSymbol without a size
__constant__ int n;
void f() { int a = 3; cudaMemcpyToSymbol(n, &a); }

//// ok: cudaMalloc with a cast and without
void f() { float *a, *b, **c; void* d; cudaMalloc((void**)&a, 4); cudaMalloc(&b, 4); cudaMalloc(&c, 4); cudaMalloc(&d, 4); cudaMalloc((void**)&a, 4 * sizeof(float)); }

//// refused: cudaError_t from an int
void f() { cudaError_t e = 0; }

//// ok: cudaFree of a const pointer by a cast
void f(const float* a) { cudaFree((void*)a); cudaFree(const_cast<float*>(a)); }

//// refused: cudaMemcpy with the kind before the size
void f(float* d, float* h) { cudaMemcpy(d, h, cudaMemcpyHostToDevice, 4); }

//// ok: cudaMemcpy2D and cudaMallocPitch
void f(float* h) { float* d; size_t pitch; cudaMallocPitch(&d, &pitch, 16, 4); cudaMemcpy2D(d, pitch, h, 16, 16, 4, cudaMemcpyHostToDevice); }

//// ok: cudaOccupancyMaxActiveBlocksPerMultiprocessor
__global__ void k(float* x) { x[0] = 1; }
int f() { int n, g, b; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 128, 0); cudaOccupancyMaxPotentialBlockSize(&g, &b, k); cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 256); return n + g + b; }

//// refused: a stream made by value
void f() { cudaStream_t s; cudaStreamCreate(s); }

//// refused: an event recorded by address
void f(cudaEvent_t a) { cudaEventRecord(&a); }

//// refused: cudaDeviceSynchronise in British
void f() { cudaDeviceSynchronise(); }

//// refused: cudaFreeAsync without a stream
void f(float* p) { cudaFreeAsync(p); }

//// ok: launch with a size_t and a long
__global__ void k(int* x) { x[0] = 1; }
void f(int* x, size_t n, long m) { k<<<n, m>>>(x); }

//// refused: launch with four angles
__global__ void k(int* x) { x[0] = 1; }
void f(int* x) { k<<<<1, 1>>>>(x); }

//// ok: launch by auto and a reference
__global__ void a(int* x) { x[0] = 1; }
void f(int* x) { auto k = a; k<<<1, 1>>>(x); auto& r = a; r<<<1, 1>>>(x); auto* p = &a; p<<<1, 1>>>(x); (*p)<<<1, 1>>>(x); }

//// ok: launch with a vector by value in the kernel
#include <vector>
__global__ void k(std::vector<float> x) {}
void f(std::vector<float> x) { k<<<1, 1>>>(x); }

//// ok: launch of a template by a switch
template <int N> __global__ void k(int* x) { x[0] = N; }
void f(int* x, int n) { switch (n) { case 1: k<1><<<1, 1>>>(x); break; case 2: k<2><<<1, 1>>>(x); break; default: k<4><<<1, 1>>>(x); } }

//// ok: launch of a kernel declared first with other parameters
__global__ void k(float* x);
void f(float* x) { k<<<1, 1>>>(x); }
__global__ void k(int* x) { x[0] = 1; }

//// refused: asm with an operand that there is not
__global__ void k(int* x) { int a; asm("mov.u32 %0, %1;" : "=r"(a)); x[0] = a; }

//// refused: asm without a semicolon
__global__ void k(int* x) { asm("membar.gl") x[0] = 1; }

//// ok: pragma nv_diag
#pragma nv_diag_suppress 177
__global__ void k(int* x) { int unused; x[0] = 1; }
#pragma nv_diag_default 177

//// ok: what a device can be asked for
#include <cuda_runtime.h>
static_assert(cudaDevAttrMaxPitch == 11 && cudaDevAttrPciBusId == 33 && cudaDevAttrHostNativeAtomicSupported == 86 && cudaDevAttrMpsEnabled == 133);
int listed(int device) {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, device);
    int x = 0;
    cudaDeviceGetAttribute(&x, cudaDevAttrMaxTexture2DWidth, device);
    cudaDeviceGetAttribute(&x, cudaDevAttrComputePreemptionSupported, device);
    return x + p.maxTexture2DMipmap[1] + p.maxSurfaceCubemapLayered[0] + p.mpsEnabled + p.luid[0] + p.hostNumaId + p.sparseCudaArraySupported;
}

//// refused: a function of the C library's own that looks like one of CUDA's
__global__ void k(float* x) { x[0] = __exp2f(x[1]); }
