// Memory that comes and goes in the order of a stream.
#include "said.h"

__global__ void k(int* x, int n){ int i = threadIdx.x; if(i<n) x[i] += i; }

int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    int* a;
    SAY(cudaMallocAsync(&a, 400, s));                                                         // Success
    SAY(cudaMemsetAsync(a, 0, 400, s));                                                       // Success
    k<<<1, 100, 0, s>>>(a, 100); LAST();                                                      // Success
    int h[100];
    SAY(cudaMemcpyAsync(h, a, 400, cudaMemcpyDeviceToHost, s));                               // Success
    SAY(cudaFreeAsync(a, s));                                                                 // Success
    SAY(cudaStreamSynchronize(s)); SHOW("%d", h[7]);                                          // Success 7
    SAY(cudaFreeAsync(a, s)); LAST();                                                         // InvalidValue InvalidValue
    SAY(cudaMallocAsync(&a, 0, s)); SHOW("%d", a == nullptr); LAST();                         // Success 1 Success
    SAY(cudaFreeAsync(nullptr, s)); LAST();                                                   // Success Success
    int x;
    SAY(cudaFreeAsync(&x, s)); LAST();                                                        // InvalidValue InvalidValue
    cudaMemPool_t p;
    SAY(cudaDeviceGetDefaultMemPool(&p, 0));                                                  // Success
    unsigned long long th = ~0ull;
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrReleaseThreshold, &th));                    // Success
    SAY(cudaMemPoolGetAttribute(p, cudaMemPoolAttrReleaseThreshold, &th)); SHOW("%llu", th);  // Success 18446744073709551615
    SAY(cudaMemPoolTrimTo(p, 0));                                                             // Success
    SAY(cudaMallocFromPoolAsync(&a, 64, p, s));                                               // Success
    SAY(cudaFreeAsync(a, s));                                                                 // Success
    SAY(cudaMalloc(&a, 64));                                                                  // Success
    SAY(cudaFreeAsync(a, s));                                                                 // Success
    SAY(cudaStreamSynchronize(s));                                                            // Success
    SAY(cudaMallocAsync(&a, 64, s));                                                          // Success
    SAY(cudaFree(a)); LAST();                                                                 // Success Success
    SAY(cudaStreamDestroy(s));                                                                // Success
}
