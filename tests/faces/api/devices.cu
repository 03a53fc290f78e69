// What is asked of a device, and set for it.
#include "said.h"

__global__ void k(float* x){ x[threadIdx.x] = 1; }
__global__ void __launch_bounds__(256) lb(){}
__global__ void st(int* x){ __shared__ int t[1000]; t[threadIdx.x] = 1; __syncthreads(); *x = t[3]; }

int main() {
    int n = -1;
    SAY(cudaGetDeviceCount(&n)); SHOW("%d", n);                                                     // Success 1
    SAY(cudaSetDevice(0));                                                                          // Success
    SAY(cudaSetDevice(5)); LAST();                                                                  // InvalidDevice InvalidDevice
    SAY(cudaSetDevice(-1)); LAST();                                                                 // InvalidDevice InvalidDevice
    SAY(cudaGetDevice(&n)); SHOW("%d", n);                                                          // Success 0
    SAY(cudaGetDevice(nullptr)); LAST();                                                            // InvalidValue InvalidValue
    cudaDeviceProp p;
    SAY(cudaGetDeviceProperties(&p, 0));                                                            // Success
    SAY(cudaGetDeviceProperties(&p, 3)); LAST();                                                    // InvalidDevice InvalidDevice
    SAY(cudaGetDeviceProperties(&p, -1)); LAST();                                                   // InvalidDevice InvalidDevice
    SAY(cudaGetDeviceProperties(&p, 0)); SHOW("%d", p.warpSize); SHOW("%d", p.maxThreadsPerBlock);  // Success 32 1024
    SHOW("%d", p.maxThreadsDim[0]); SHOW("%d", p.maxThreadsDim[2]); SHOW("%d", p.maxGridSize[0]);   // 1024 64 2147483647
    SHOW("%d", p.maxGridSize[1]); SHOW("%d", p.regsPerBlock); SHOW("%zu", p.totalConstMem);         // 65535 65536 65536
    SHOW("%zu", p.sharedMemPerBlock); SHOW("%d", p.canMapHostMemory); SHOW("%d", p.managedMemory);  // 49152 1 1
    SHOW("%d", p.concurrentManagedAccess); SHOW("%d", p.unifiedAddressing); SHOW("%d", p.cooperativeLaunch);  // 1 1 1
    SHOW("%d", p.integrated); SHOW("%zu", p.textureAlignment); SHOW("%d", p.asyncEngineCount>0);    // 0 512 1
    int v;
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrMaxThreadsPerBlock, 0)); SHOW("%d", v);               // Success 1024
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0)); SHOW("%d", v);                         // Success 32
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlock, 0)); SHOW("%d", v);          // Success 49152
    SAY(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0)); LAST();                               // InvalidValue InvalidValue
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 1)); LAST();                                // InvalidDevice InvalidDevice
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrMaxPitch, 0)); SHOW("%d", v);                         // Success 2147483647
    size_t f, t;
    SAY(cudaMemGetInfo(&f, &t)); SHOW("%d", f <= t && t>0);                                         // Success 1
    SAY(cudaMemGetInfo(nullptr, &t)); LAST();                                                       // Success Success
    size_t l;
    SAY(cudaDeviceGetLimit(&l, cudaLimitStackSize)); SHOW("%zu", l);                                // Success 1024
    SAY(cudaDeviceGetLimit(&l, cudaLimitMallocHeapSize)); SHOW("%zu", l);                           // Success 8388608
    SAY(cudaDeviceGetLimit(&l, cudaLimitPrintfFifoSize)); SHOW("%zu", l);                           // Success 8650752
    SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));                                      // Success
    SAY(cudaDeviceGetLimit(&l, cudaLimitMallocHeapSize)); SHOW("%zu", l);                           // Success 16777216
    SAY(cudaDeviceSetLimit((cudaLimit)77, 1)); LAST();                                              // InvalidValue InvalidValue
    SAY(cudaDeviceSetLimit(cudaLimitStackSize, 4096));                                              // Success
    SAY(cudaDeviceGetLimit(&l, cudaLimitStackSize)); SHOW("%zu", l);                                // Success 4096
    cudaFuncAttributes a;
    SAY(cudaFuncGetAttributes(&a, k)); SHOW("%d", a.maxThreadsPerBlock); SHOW("%zu", a.sharedSizeBytes);  // Success 1024 0
    SHOW("%zu", a.constSizeBytes); SHOW("%zu", a.localSizeBytes); SHOW("%d", a.maxDynamicSharedSizeBytes);  // 0 0 49152
    SAY(cudaFuncGetAttributes(&a, lb)); SHOW("%d", a.maxThreadsPerBlock);                           // Success 256
    SAY(cudaFuncGetAttributes(&a, st)); SHOW("%zu", a.sharedSizeBytes);                             // Success 4000
    SHOW("%d", a.maxDynamicSharedSizeBytes);                                                        // 45152
    SAY(cudaFuncGetAttributes(&a, (const void*)nullptr)); LAST();                                   // InvalidDeviceFunction InvalidDeviceFunction
    SAY(cudaFuncGetAttributes(nullptr, (const void*)k)); LAST();                                    // InvalidValue InvalidValue
    int can = -1;
    SAY(cudaDeviceCanAccessPeer(&can, 0, 0)); SHOW("%d", can);                                      // Success 0
    SAY(cudaDeviceCanAccessPeer(&can, 0, 1)); LAST();                                               // InvalidDevice InvalidDevice
    SAY(cudaDeviceEnablePeerAccess(0, 0)); LAST();                                                  // PeerAccessUnsupported PeerAccessUnsupported
    SAY(cudaDeviceDisablePeerAccess(0)); LAST();                                                    // PeerAccessNotEnabled PeerAccessNotEnabled
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleSpin));                                                // Success
    unsigned fl;
    SAY(cudaGetDeviceFlags(&fl)); SHOW("%u", fl & 7);                                               // Success 1
    char id[64];
    SAY(cudaDeviceGetPCIBusId(id, 64, 0));                                                          // Success
    SAY(cudaDeviceGetPCIBusId(id, 64, 4)); LAST();                                                  // InvalidDevice InvalidDevice
    int d;
    cudaDeviceProp want = {};
    want.major = 1;
    SAY(cudaChooseDevice(&d, &want)); SHOW("%d", d);                                                // Success 0
    int drv, rt;
    SAY(cudaDriverGetVersion(&drv));                                                                // Success
    SAY(cudaRuntimeGetVersion(&rt)); SHOW("%d", rt/1000); SHOW("%d", drv >= rt);                    // Success 13 1
    SAY(cudaDriverGetVersion(nullptr)); LAST();                                                     // InvalidValue InvalidValue
}
