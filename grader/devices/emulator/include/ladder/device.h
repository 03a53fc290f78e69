// The one device there is, and what it says of itself. Its size is in abi.h; whatever has to do with time is made up.
#pragma once

#include "streams.h"

// Of CUDA 12: a program's, which may be older, and not a graded file's.
#ifdef __CUDA__
#define LADDER_GONE(name) ladder_##name
#else
#define LADDER_GONE(name) name
#endif

struct cudaDeviceProp {
    char name[256];
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int LADDER_GONE(clockRate), LADDER_GONE(memoryClockRate);   // kHz
    std::size_t totalConstMem;
    int major, minor;
    std::size_t textureAlignment;
    int multiProcessorCount, integrated, canMapHostMemory, LADDER_GONE(computeMode), concurrentKernels, ECCEnabled;
    int pciBusID, pciDeviceID, pciDomainID, asyncEngineCount, unifiedAddressing;
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, concurrentManagedAccess, pageableMemoryAccess, cooperativeLaunch;
    std::size_t sharedMemPerBlockOptin;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    std::size_t reservedSharedMemPerBlock;
    int memoryPoolsSupported, clusterLaunch;
    // Asked for by programs that list what a device has.
    struct { char bytes[16]; } uuid;
    std::size_t texturePitchAlignment, surfaceAlignment;
    int LADDER_GONE(deviceOverlap), LADDER_GONE(kernelExecTimeoutEnabled), isMultiGpuBoard, multiGpuBoardGroupID, tccDriver;
    int maxTexture1D, LADDER_GONE(maxTexture1DLinear), maxTexture1DMipmap, maxTexture2D[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxSurface1D, maxSurface2D[2];
    int maxSurface3D[3], hostNativeAtomicSupported, LADDER_GONE(singleToDoublePrecisionPerfRatio), computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, LADDER_GONE(cooperativeMultiDeviceLaunch), pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost, hostRegisterSupported, unifiedFunctionPointers;
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrTccDriver = 35,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrHostRegisterSupported = 99,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrClusterLaunch = 120,
};

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6,
};

#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04

namespace ladder {

constexpr cudaDeviceProp properties = {
    .name = "Kernel Ladder emulator",
    .totalGlobalMem = global_memory,
    .sharedMemPerBlock = shared_per_block,
    .regsPerBlock = registers_per_multiprocessor,
    .warpSize = 32,
    .memPitch = 0x7fffffff,
    .maxThreadsPerBlock = threads_per_block,
    .maxThreadsDim = {1024, 1024, 64},
    .maxGridSize = {0x7fffffff, 65535, 65535},
    .LADDER_GONE(clockRate) = 1000000,
    .LADDER_GONE(memoryClockRate) = 1000000,
    .totalConstMem = 64 * 1024,
    .major = compute_major,
    .minor = compute_minor,
    .textureAlignment = 512,
    .multiProcessorCount = multiprocessors,
    .concurrentKernels = 1,
    .asyncEngineCount = 1,
    .unifiedAddressing = 1,
    .memoryBusWidth = 256,
    .l2CacheSize = 4 << 20,
    .maxThreadsPerMultiProcessor = threads_per_multiprocessor,
    .streamPrioritiesSupported = 1,
    .globalL1CacheSupported = 1,
    .localL1CacheSupported = 1,
    .sharedMemPerMultiprocessor = shared_per_multiprocessor,
    .regsPerMultiprocessor = registers_per_multiprocessor,
    .cooperativeLaunch = 1,
    .sharedMemPerBlockOptin = shared_per_block_optin,
    .maxBlocksPerMultiProcessor = blocks_per_multiprocessor,
    .reservedSharedMemPerBlock = 1024,
    .memoryPoolsSupported = 1,
    .texturePitchAlignment = 32,
    .surfaceAlignment = 512,
    .LADDER_GONE(deviceOverlap) = 1,
    .maxTexture1D = 131072,
    .LADDER_GONE(maxTexture1DLinear) = 1 << 28,
    .maxTexture2D = {131072, 65536},
    .maxTexture2DLinear = {131072, 65000, 2097120},
    .maxTexture3D = {16384, 16384, 16384},
    .maxTexture1DLayered = {32768, 2048},
    .maxTexture2DLayered = {32768, 32768, 2048},
    .maxSurface1D = 32768,
    .maxSurface2D = {131072, 65536},
    .maxSurface3D = {16384, 16384, 16384},
    .LADDER_GONE(singleToDoublePrecisionPerfRatio) = 2,
    .hostRegisterSupported = 1,
};

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaGetDeviceCount(int* count) {
    *count = ladder_devices();
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGetDevice(int* device) {
    *device = ladder_current_device(-1);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= ladder_devices()) return ladder::status(cudaErrorInvalidDevice);
    ladder_current_device(device);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaSetDeviceFlags(unsigned) { return ladder::status(); }

inline LADDER_UNSEEN cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (device < 0 || device >= ladder_devices()) return ladder::status(cudaErrorInvalidDevice);
    *properties = ladder::properties;
    properties->multiProcessorCount = ladder_multiprocessors();
    if (!ladder_is_program()) return ladder::status();
    properties->managedMemory = properties->concurrentManagedAccess = properties->canMapHostMemory = 1;
    properties->isMultiGpuBoard = ladder_devices() > 1;
    properties->pciBusID = device;
    return ladder::status();
}

inline LADDER_UNSEEN cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    if (device < 0 || device >= ladder_devices()) return ladder::status(cudaErrorInvalidDevice);
    const cudaDeviceProp& own = ladder::properties;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: *value = own.maxThreadsPerBlock; break;
        case cudaDevAttrMaxBlockDimX: *value = own.maxThreadsDim[0]; break;
        case cudaDevAttrMaxBlockDimY: *value = own.maxThreadsDim[1]; break;
        case cudaDevAttrMaxBlockDimZ: *value = own.maxThreadsDim[2]; break;
        case cudaDevAttrMaxGridDimX: *value = own.maxGridSize[0]; break;
        case cudaDevAttrMaxGridDimY: *value = own.maxGridSize[1]; break;
        case cudaDevAttrMaxGridDimZ: *value = own.maxGridSize[2]; break;
        case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(own.sharedMemPerBlock); break;
        case cudaDevAttrTotalConstantMemory: *value = static_cast<int>(own.totalConstMem); break;
        case cudaDevAttrWarpSize: *value = own.warpSize; break;
        case cudaDevAttrMaxRegistersPerBlock: *value = own.regsPerBlock; break;
        case cudaDevAttrClockRate: *value = own.LADDER_GONE(clockRate); break;
        case cudaDevAttrMultiProcessorCount: *value = ladder_multiprocessors(); break;
        case cudaDevAttrIntegrated: *value = own.integrated; break;
        case cudaDevAttrConcurrentKernels: *value = own.concurrentKernels; break;
        case cudaDevAttrMemoryClockRate: *value = own.LADDER_GONE(memoryClockRate); break;
        case cudaDevAttrGlobalMemoryBusWidth: *value = own.memoryBusWidth; break;
        case cudaDevAttrL2CacheSize: *value = own.l2CacheSize; break;
        case cudaDevAttrMaxThreadsPerMultiProcessor: *value = own.maxThreadsPerMultiProcessor; break;
        case cudaDevAttrComputeCapabilityMajor: *value = own.major; break;
        case cudaDevAttrComputeCapabilityMinor: *value = own.minor; break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(own.sharedMemPerMultiprocessor);
            break;
        case cudaDevAttrMaxRegistersPerMultiprocessor: *value = own.regsPerMultiprocessor; break;
        case cudaDevAttrManagedMemory:
        case cudaDevAttrConcurrentManagedAccess:
        case cudaDevAttrCanMapHostMemory: *value = ladder_is_program(); break;
        case cudaDevAttrComputeMode:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrTccDriver:
        case cudaDevAttrPageableMemoryAccess: *value = 0; break;
        case cudaDevAttrAsyncEngineCount:
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrHostRegisterSupported: *value = 1; break;
        case cudaDevAttrCooperativeLaunch: *value = own.cooperativeLaunch; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(own.sharedMemPerBlockOptin); break;
        case cudaDevAttrMaxBlocksPerMultiprocessor: *value = own.maxBlocksPerMultiProcessor; break;
        case cudaDevAttrMaxPersistingL2CacheSize: *value = own.persistingL2CacheMaxSize; break;
        case cudaDevAttrReservedSharedMemoryPerBlock: *value = static_cast<int>(own.reservedSharedMemPerBlock); break;
        case cudaDevAttrMemoryPoolsSupported: *value = own.memoryPoolsSupported; break;
        case cudaDevAttrClusterLaunch: *value = own.clusterLaunch; break;
        default: return ladder::status(cudaErrorInvalidValue);
    }
    return ladder::status();
}

inline LADDER_UNSEEN cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

// Nothing else to set: there are no caches, and stacks are as large as they are.
inline LADDER_UNSEEN cudaError_t cudaDeviceReset() { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    if (limit == cudaLimitMallocHeapSize) ladder_set_heap(value);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    *value = limit == cudaLimitMallocHeapSize ? ladder_heap() : 0;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaCtxResetPersistingL2Cache() { return ladder::status(); }
