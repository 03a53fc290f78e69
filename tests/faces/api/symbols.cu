// Variables of the GPU, as host code names them.
#include "said.h"

__device__ int g[10]; __constant__ float c[4]; __device__ int one = 5; __managed__ int mm = 3;
__global__ void k(int* o){ o[0] = g[1]; o[1] = (int)c[2]; o[2] = one; o[3] = mm; }

int main() {
    int h[10];
    for(int i = 0;i<10;++i) h[i] = i*i;
    float f[4] = {1, 2, 3, 4};
    SAY(cudaMemcpyToSymbol(g, h, 40));                                                // Success
    SAY(cudaMemcpyToSymbol(g, h, 44)); LAST();                                        // InvalidValue InvalidValue
    SAY(cudaMemcpyToSymbol(g, h, 4, 36));                                             // Success
    SAY(cudaMemcpyToSymbol(g, h, 4, 40)); LAST();                                     // InvalidValue InvalidValue
    SAY(cudaMemcpyToSymbol(g, h, 4, 38)); LAST();                                     // InvalidValue InvalidValue
    SAY(cudaMemcpyToSymbol(c, f, 16));                                                // Success
    SAY(cudaMemcpyToSymbol(c, f, 16, 0, cudaMemcpyDeviceToHost)); LAST();             // InvalidMemcpyDirection InvalidMemcpyDirection
    SAY(cudaMemcpyToSymbol(c, f, 16, 0, cudaMemcpyDefault));                          // Success
    SAY(cudaMemcpyFromSymbol(h, one, 4)); SHOW("%d", h[0]);                           // Success 5
    SAY(cudaMemcpyFromSymbol(h, one, 8)); LAST();                                     // InvalidValue InvalidValue
    SAY(cudaMemcpyFromSymbol(h, g, 4, 4, cudaMemcpyDeviceToHost)); SHOW("%d", h[0]);  // Success 1
    SAY(cudaMemcpyFromSymbol(h, g, 4, 4, cudaMemcpyHostToDevice)); LAST();            // InvalidMemcpyDirection InvalidMemcpyDirection
    size_t n = 0;
    SAY(cudaGetSymbolSize(&n, g)); SHOW("%zu", n);                                    // Success 40
    SAY(cudaGetSymbolSize(&n, c)); SHOW("%zu", n);                                    // Success 16
    void* p;
    SAY(cudaGetSymbolAddress(&p, g));                                                 // Success
    SAY(cudaMemset(p, 0, 40));                                                        // Success
    SAY(cudaGetSymbolAddress(&p, c));                                                 // Success
    SAY(cudaGetSymbolAddress(&p, mm));                                                // Success
    int x = 0;
    SAY(cudaGetSymbolAddress(&p, (const void*)&x)); LAST();                           // InvalidSymbol InvalidSymbol
    SAY(cudaGetSymbolSize(&n, (const void*)&x)); LAST();                              // InvalidSymbol InvalidSymbol
    SAY(cudaMemcpyToSymbol((const void*)&x, h, 4)); LAST();                           // InvalidSymbol InvalidSymbol
    mm = 8;
    int* o;
    cudaMalloc(&o, 16);
    k<<<1, 1>>>(o);
    SAY(cudaMemcpy(h, o, 16, cudaMemcpyDeviceToHost)); SHOW("%d", h[0]); SHOW("%d", h[1]); SHOW("%d", h[2]);  // Success 0 3 5
    SHOW("%d", h[3]);                                                                 // 8
    SAY(cudaMemcpyToSymbol(g, nullptr, 4)); LAST();                                   // InvalidValue InvalidValue
    SAY(cudaMemcpyToSymbol(g, h, 0)); LAST();                                         // Success Success
    SAY(cudaMemcpyToSymbolAsync(g, h, 4, 0, cudaMemcpyHostToDevice, 0));              // Success
    SAY(cudaMemcpyFromSymbolAsync(h, g, 4, 0, cudaMemcpyDeviceToHost, 0));            // Success
    SAY(cudaDeviceSynchronize());                                                     // Success
}
