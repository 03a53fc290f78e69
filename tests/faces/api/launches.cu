// What launches, and what is set for them, return.
#include "said.h"

__global__ void k(int* x){ if(x) *x = 1; }
__global__ void __launch_bounds__(128) lb(int* x){ if(x) *x = 1; }
extern __shared__ int s[]; __global__ void sh(int* x){ s[threadIdx.x] = 1; if(x) *x = s[threadIdx.x]; }
__global__ void st(int* x){ __shared__ int t[12000]; t[threadIdx.x] = 1; __syncthreads(); if(x) *x = t[threadIdx.x]; }

int main() {
    int* d;
    cudaMalloc(&d, 4);
    k<<<0, 32>>>(d); LAST();                                                                      // InvalidValue
    k<<<1, 0>>>(d); LAST();                                                                       // InvalidValue
    k<<<1, 1025>>>(d); LAST();                                                                    // InvalidValue
    k<<<1, dim3(32, 33)>>>(d); LAST();                                                            // InvalidValue
    k<<<1, dim3(1, 1, 65)>>>(d); LAST();                                                          // InvalidValue
    k<<<1, dim3(1, 1, 64)>>>(d); LAST();                                                          // Success
    k<<<dim3(1, 65536), 1>>>(d); LAST();                                                          // InvalidValue
    k<<<dim3(1, 1, 65536), 1>>>(d); LAST();                                                       // InvalidValue
    k<<<dim3(1, 65535), 1>>>(nullptr); LAST();                                                    // Success
    k<<<1, dim3(1, 2000, 1)>>>(d); LAST();                                                        // InvalidValue
    k<<<dim3(1, 0, 1), 1>>>(d); LAST();                                                           // InvalidValue
    k<<<1, dim3(32, 1, 0)>>>(d); LAST();                                                          // InvalidValue
    k<<<-1, 32>>>(d); LAST();                                                                     // InvalidValue
    k<<<1, -1>>>(d); LAST();                                                                      // InvalidValue
    lb<<<1, 128>>>(d); LAST();                                                                    // Success
    lb<<<1, 129>>>(d); LAST();                                                                    // InvalidValue
    sh<<<1, 32, 49152>>>(d); LAST();                                                              // Success
    sh<<<1, 32, 49153>>>(d); LAST();                                                              // InvalidValue
    SAY(cudaFuncSetAttribute(sh, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));            // Success
    sh<<<1, 32, 65536>>>(d); LAST();                                                              // Success
    sh<<<1, 32, 65537>>>(d); LAST();                                                              // InvalidValue
    SAY(cudaFuncSetAttribute(sh, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)); LAST();  // InvalidValue InvalidValue
    SAY(cudaFuncSetAttribute(sh, cudaFuncAttributeMaxDynamicSharedMemorySize, -1)); LAST();       // InvalidValue InvalidValue
    SAY(cudaFuncSetAttribute(sh, cudaFuncAttributePreferredSharedMemoryCarveout, 50));            // Success
    SAY(cudaFuncSetAttribute(sh, cudaFuncAttributePreferredSharedMemoryCarveout, 101)); LAST();   // InvalidValue InvalidValue
    SAY(cudaFuncSetAttribute(sh, (cudaFuncAttribute)99, 1)); LAST();                              // InvalidValue InvalidValue
    st<<<1, 32>>>(d); LAST();                                                                     // Success
    st<<<1, 32, 2000>>>(d); LAST();                                                               // InvalidValue
    st<<<1, 32, 1152>>>(d); LAST();                                                               // Success
    SAY(cudaFuncSetAttribute(st, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));            // Success
    st<<<1, 32, 2000>>>(d); LAST();                                                               // Success
    SAY(cudaFuncSetCacheConfig(k, cudaFuncCachePreferShared));                                    // Success
    SAY(cudaFuncSetSharedMemConfig(k, cudaSharedMemBankSizeEightByte)); LAST();                   // Success Success
    void* args[] = {&d};
    SAY(cudaLaunchKernel((void*)k, 1, 32, args, 0, 0));                                           // Success
    SAY(cudaLaunchKernel((void*)k, 1, 2048, args, 0, 0)); LAST();                                 // InvalidValue InvalidValue
    SAY(cudaLaunchCooperativeKernel((void*)k, 1, 32, args, 0, 0));                                // Success
    SAY(cudaLaunchCooperativeKernel((void*)k, 1 << 20, 32, args, 0, 0)); LAST();                  // CooperativeLaunchTooLarge CooperativeLaunchTooLarge
    SAY(cudaLaunchCooperativeKernel((void*)k, 0, 32, args, 0, 0)); LAST();                        // InvalidValue InvalidValue
    SAY(cudaDeviceSynchronize());                                                                 // Success
    SAY(cudaPeekAtLastError());                                                                   // Success
    k<<<1, 2000>>>(d);
    SAY(cudaPeekAtLastError());                                                                   // InvalidValue
    SAY(cudaDeviceSynchronize()); LAST(); LAST();                                                 // Success InvalidValue Success
}
