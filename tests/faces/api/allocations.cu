// What allocating and freeing returns.
#include "said.h"

int main() {
    void* a = nullptr;
    SAY(cudaMalloc(&a, 0)); SHOW("%d", a == nullptr);             // Success 1
    SAY(cudaMalloc(&a, 16));                                      // Success
    SAY(cudaFree(a));                                             // Success
    SAY(cudaFree(a)); LAST();                                     // InvalidValue InvalidValue
    SAY(cudaFree(nullptr));                                       // Success
    SAY(cudaMalloc((void**)nullptr, 16)); LAST();                 // InvalidValue InvalidValue
    SAY(cudaMalloc(&a, (size_t)1 << 50)); LAST(); LAST();         // MemoryAllocation MemoryAllocation Success
    int h = 0;
    SAY(cudaFree(&h)); LAST();                                    // InvalidValue InvalidValue
    SAY(cudaMallocHost(&a, 0)); SHOW("%d", a == nullptr);         // Success 1
    SAY(cudaMallocHost(&a, 16));                                  // Success
    SAY(cudaFreeHost(a));                                         // Success
    SAY(cudaFreeHost(a));                                         // InvalidValue
    SAY(cudaFreeHost(&h));                                        // InvalidValue
    SAY(cudaFreeHost(nullptr)); LAST();                           // Success InvalidValue
    SAY(cudaMallocManaged(&a, 0)); LAST();                        // Success Success
    SAY(cudaMallocManaged(&a, 16));                               // Success
    SAY(cudaFree(a));                                             // Success
    SAY(cudaMallocManaged(&a, 16, 7)); LAST();                    // InvalidValue InvalidValue
    SAY(cudaHostAlloc(&a, 16, cudaHostAllocMapped));              // Success
    void* d = nullptr;
    SAY(cudaHostGetDevicePointer(&d, a, 0)); SHOW("%d", d == a);  // Success 1
    SAY(cudaHostGetDevicePointer(&d, a, 1)); LAST();              // InvalidValue InvalidValue
    SAY(cudaFreeHost(a));                                         // Success
    SAY(cudaHostAlloc(&a, 16, 99)); LAST();                       // InvalidValue InvalidValue
    char* m = (char*)malloc(8192);
    SAY(cudaHostRegister(m, 8192, 0));                            // Success
    SAY(cudaHostRegister(m, 8192, 0)); LAST();                    // HostMemoryAlreadyRegistered HostMemoryAlreadyRegistered
    unsigned fl = 9;
    SAY(cudaHostGetFlags(&fl, m)); SHOW("%u", fl);                // Success 2
    SAY(cudaHostUnregister(m));                                   // Success
    SAY(cudaHostUnregister(m)); LAST();                           // HostMemoryNotRegistered HostMemoryNotRegistered
    SAY(cudaHostGetFlags(&fl, m)); LAST();                        // InvalidValue InvalidValue
    free(m);
    SAY(cudaHostRegister(nullptr, 16, 0)); LAST();                // InvalidValue InvalidValue
}
