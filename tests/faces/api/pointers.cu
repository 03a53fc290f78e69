// What addresses are, and what is asked of managed memory.
#include "said.h"

__device__ int g;

int main() {
    int *d, *m, *h;
    cudaMalloc(&d, 64);
    cudaMallocManaged(&m, 64);
    cudaMallocHost(&h, 64);
    int s[16];
    cudaPointerAttributes a;
    void* gp;
    cudaGetSymbolAddress(&gp, g);
    SAY(cudaPointerGetAttributes(nullptr, d)); LAST();                                           // InvalidValue InvalidValue
    SAY(cudaMemPrefetchAsync(m, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0));          // Success
    SAY(cudaMemPrefetchAsync(d, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0)); LAST();  // InvalidValue InvalidValue
    SAY(cudaMemAdvise(m, 64, cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0}));  // Success
    SAY(cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0})); LAST();  // InvalidValue InvalidValue
    SAY(cudaStreamAttachMemAsync(0, m)); LAST();                                                 // InvalidValue InvalidValue
    SAY(cudaFree(h)); LAST();                                                                    // InvalidValue InvalidValue
    SAY(cudaFreeHost(d)); LAST();                                                                // InvalidValue InvalidValue
    SAY(cudaFree(m));                                                                            // Success
    SAY(cudaFree(d+1)); LAST();                                                                  // InvalidValue InvalidValue
    SAY(cudaFree(d));                                                                            // Success
}
