// The one device there is, and what it says of itself. Its size is in abi.h; whatever has to do with time is made up.
#pragma once

#include "streams.h"

// Of CUDA 12: a program's, which may be older, and not a graded file's.
#ifdef __CUDA__
#define LADDER_GONE(name) ladder_##name
#else
#define LADDER_GONE(name) name
#endif

struct CUuuid_st { char bytes[16]; };
using cudaUUID_t = CUuuid_st;
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    std::size_t totalConstMem;
    int major, minor;
    std::size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory, maxTexture1D, maxTexture1DMipmap, maxTexture2D[2],
        maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3],
        maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D,
        maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    std::size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing,
        memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported,
        globalL1CacheSupported, localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
        pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
    std::size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    std::size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
        memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, deviceNumaConfig,
        deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    // Those that CUDA 13 has no more are where it keeps room: the structure is as large as CUDA's.
    int LADDER_GONE(clockRate), LADDER_GONE(memoryClockRate), LADDER_GONE(computeMode), LADDER_GONE(deviceOverlap), LADDER_GONE(kernelExecTimeoutEnabled),
        LADDER_GONE(maxTexture1DLinear), LADDER_GONE(singleToDoublePrecisionPerfRatio), LADDER_GONE(cooperativeMultiDeviceLaunch);
    int reserved[48];
};

// name, number, value. What the emulated device has not got is 0.
#define LADDER_ATTRIBUTES(attribute) \
    attribute(MaxThreadsPerBlock, 1, own.maxThreadsPerBlock) attribute(MaxBlockDimX, 2, own.maxThreadsDim[0]) \
    attribute(MaxBlockDimY, 3, own.maxThreadsDim[1]) attribute(MaxBlockDimZ, 4, own.maxThreadsDim[2]) \
    attribute(MaxGridDimX, 5, own.maxGridSize[0]) attribute(MaxGridDimY, 6, own.maxGridSize[1]) \
    attribute(MaxGridDimZ, 7, own.maxGridSize[2]) \
    attribute(MaxSharedMemoryPerBlock, 8, static_cast<int>(own.sharedMemPerBlock)) \
    attribute(TotalConstantMemory, 9, static_cast<int>(own.totalConstMem)) attribute(WarpSize, 10, own.warpSize) \
    attribute(MaxPitch, 11, static_cast<int>(own.memPitch)) attribute(MaxRegistersPerBlock, 12, own.regsPerBlock) \
    attribute(ClockRate, 13, own.LADDER_GONE(clockRate)) \
    attribute(TextureAlignment, 14, static_cast<int>(own.textureAlignment)) \
    attribute(GpuOverlap, 15, own.LADDER_GONE(deviceOverlap)) \
    attribute(MultiProcessorCount, 16, ladder_multiprocessors()) attribute(Integrated, 18, own.integrated) \
    attribute(CanMapHostMemory, 19, ladder_is_program()) attribute(MaxTexture1DWidth, 21, own.maxTexture1D) \
    attribute(MaxTexture2DWidth, 22, own.maxTexture2D[0]) attribute(MaxTexture2DHeight, 23, own.maxTexture2D[1]) \
    attribute(MaxTexture3DWidth, 24, own.maxTexture3D[0]) attribute(MaxTexture3DHeight, 25, own.maxTexture3D[1]) \
    attribute(MaxTexture3DDepth, 26, own.maxTexture3D[2]) \
    attribute(MaxTexture2DLayeredWidth, 27, own.maxTexture2DLayered[0]) \
    attribute(MaxTexture2DLayeredHeight, 28, own.maxTexture2DLayered[1]) \
    attribute(MaxTexture2DLayeredLayers, 29, own.maxTexture2DLayered[2]) \
    attribute(SurfaceAlignment, 30, static_cast<int>(own.surfaceAlignment)) \
    attribute(ConcurrentKernels, 31, own.concurrentKernels) attribute(PciBusId, 33, device) \
    attribute(MemoryClockRate, 36, own.LADDER_GONE(memoryClockRate)) \
    attribute(GlobalMemoryBusWidth, 37, own.memoryBusWidth) attribute(L2CacheSize, 38, ladder::bytes_of_l2()) \
    attribute(MaxThreadsPerMultiProcessor, 39, own.maxThreadsPerMultiProcessor) \
    attribute(AsyncEngineCount, 40, own.asyncEngineCount) attribute(UnifiedAddressing, 41, 1) \
    attribute(MaxTexture1DLayeredWidth, 42, own.maxTexture1DLayered[0]) \
    attribute(MaxTexture1DLayeredLayers, 43, own.maxTexture1DLayered[1]) \
    attribute(TexturePitchAlignment, 51, static_cast<int>(own.texturePitchAlignment)) \
    attribute(MaxSurface1DWidth, 55, own.maxSurface1D) attribute(MaxSurface2DWidth, 56, own.maxSurface2D[0]) \
    attribute(MaxSurface2DHeight, 57, own.maxSurface2D[1]) attribute(MaxSurface3DWidth, 58, own.maxSurface3D[0]) \
    attribute(MaxSurface3DHeight, 59, own.maxSurface3D[1]) attribute(MaxSurface3DDepth, 60, own.maxSurface3D[2]) \
    attribute(MaxTexture1DLinearWidth, 69, own.LADDER_GONE(maxTexture1DLinear)) \
    attribute(MaxTexture2DLinearWidth, 70, own.maxTexture2DLinear[0]) \
    attribute(MaxTexture2DLinearHeight, 71, own.maxTexture2DLinear[1]) \
    attribute(MaxTexture2DLinearPitch, 72, own.maxTexture2DLinear[2]) attribute(ComputeCapabilityMajor, 75, own.major) \
    attribute(ComputeCapabilityMinor, 76, own.minor) attribute(StreamPrioritiesSupported, 78, 1) \
    attribute(GlobalL1CacheSupported, 79, own.globalL1CacheSupported) \
    attribute(LocalL1CacheSupported, 80, own.localL1CacheSupported) \
    attribute(MaxSharedMemoryPerMultiprocessor, 81, static_cast<int>(own.sharedMemPerMultiprocessor)) \
    attribute(MaxRegistersPerMultiprocessor, 82, own.regsPerMultiprocessor) \
    attribute(ManagedMemory, 83, ladder_is_program()) attribute(IsMultiGpuBoard, 84, ladder_devices() > 1) \
    attribute(SingleToDoublePrecisionPerfRatio, 87, own.LADDER_GONE(singleToDoublePrecisionPerfRatio)) \
    attribute(ConcurrentManagedAccess, 89, ladder_is_program()) \
    attribute(CooperativeLaunch, 95, own.cooperativeLaunch) \
    attribute(MaxSharedMemoryPerBlockOptin, 97, static_cast<int>(own.sharedMemPerBlockOptin)) \
    attribute(HostRegisterSupported, 99, 1) attribute(MaxBlocksPerMultiprocessor, 106, own.maxBlocksPerMultiProcessor) \
    attribute(MaxPersistingL2CacheSize, 108, own.persistingL2CacheMaxSize) \
    attribute(ReservedSharedMemoryPerBlock, 111, static_cast<int>(own.reservedSharedMemPerBlock)) \
    attribute(MemoryPoolsSupported, 115, own.memoryPoolsSupported) attribute(ClusterLaunch, 120, own.clusterLaunch)
#define LADDER_ATTRIBUTES_OF_NOTHING(attribute) \
    attribute(KernelExecTimeout, 17, 0) attribute(ComputeMode, 20, 0) attribute(EccEnabled, 32, 0) \
    attribute(PciDeviceId, 34, 0) attribute(TccDriver, 35, 0) attribute(MaxTexture2DGatherWidth, 45, 0) \
    attribute(MaxTexture2DGatherHeight, 46, 0) attribute(MaxTexture3DWidthAlt, 47, 0) \
    attribute(MaxTexture3DHeightAlt, 48, 0) attribute(MaxTexture3DDepthAlt, 49, 0) attribute(PciDomainId, 50, 0) \
    attribute(MaxTextureCubemapWidth, 52, 0) attribute(MaxTextureCubemapLayeredWidth, 53, 0) \
    attribute(MaxTextureCubemapLayeredLayers, 54, 0) attribute(MaxSurface1DLayeredWidth, 61, 0) \
    attribute(MaxSurface1DLayeredLayers, 62, 0) attribute(MaxSurface2DLayeredWidth, 63, 0) \
    attribute(MaxSurface2DLayeredHeight, 64, 0) attribute(MaxSurface2DLayeredLayers, 65, 0) \
    attribute(MaxSurfaceCubemapWidth, 66, 0) attribute(MaxSurfaceCubemapLayeredWidth, 67, 0) \
    attribute(MaxSurfaceCubemapLayeredLayers, 68, 0) attribute(MaxTexture2DMipmappedWidth, 73, 0) \
    attribute(MaxTexture2DMipmappedHeight, 74, 0) attribute(MaxTexture1DMipmappedWidth, 77, 0) \
    attribute(MultiGpuBoardGroupID, 85, 0) attribute(HostNativeAtomicSupported, 86, 0) \
    attribute(PageableMemoryAccess, 88, 0) attribute(ComputePreemptionSupported, 90, 0) \
    attribute(CanUseHostPointerForRegisteredMem, 91, 0) attribute(CanFlushRemoteWrites, 98, 0) \
    attribute(PageableMemoryAccessUsesHostPageTables, 100, 0) attribute(DirectManagedMemAccessFromHost, 101, 0) \
    attribute(MaxAccessPolicyWindowSize, 109, 0) attribute(SparseCudaArraySupported, 112, 0) \
    attribute(HostRegisterReadOnlySupported, 113, 0) attribute(TimelineSemaphoreInteropSupported, 114, 0) \
    attribute(GPUDirectRDMASupported, 116, 0) attribute(GPUDirectRDMAFlushWritesOptions, 117, 0) \
    attribute(GPUDirectRDMAWritesOrdering, 118, 0) attribute(MemoryPoolSupportedHandleTypes, 119, 0) \
    attribute(DeferredMappingCudaArraySupported, 121, 0) attribute(IpcEventSupport, 125, 0) \
    attribute(MemSyncDomainCount, 126, 0) attribute(NumaConfig, 130, 0) attribute(NumaId, 131, 0) \
    attribute(MpsEnabled, 133, 0) attribute(HostNumaId, 134, 0) attribute(D3D12CigSupported, 135, 0) \
    attribute(VulkanCigSupported, 138, 0) attribute(GpuPciDeviceId, 139, 0) attribute(GpuPciSubsystemId, 140, 0) \
    attribute(HostNumaMemoryPoolsSupported, 142, 0) attribute(HostNumaMultinodeIpcSupported, 143, 0) \
    attribute(HostMemoryPoolsSupported, 144, 0) attribute(OnlyPartialHostNativeAtomicSupported, 147, 0)

enum cudaDeviceAttr {
#define LADDER_ATTRIBUTE(name, number, value) cudaDevAttr##name = number,
    LADDER_ATTRIBUTES(LADDER_ATTRIBUTE) LADDER_ATTRIBUTES_OF_NOTHING(LADDER_ATTRIBUTE)
#undef LADDER_ATTRIBUTE
};

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
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
    .totalConstMem = 64 * 1024,
    .major = compute_major,
    .minor = compute_minor,
    .textureAlignment = 512,
    .texturePitchAlignment = 32,
    .multiProcessorCount = multiprocessors,
    .maxTexture1D = 131072,
    .maxTexture2D = {131072, 65536},
    .maxTexture2DLinear = {131072, 65000, 2097120},
    .maxTexture3D = {16384, 16384, 16384},
    .maxTexture1DLayered = {32768, 2048},
    .maxTexture2DLayered = {32768, 32768, 2048},
    .maxSurface1D = 32768,
    .maxSurface2D = {131072, 65536},
    .maxSurface3D = {16384, 16384, 16384},
    .surfaceAlignment = 512,
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
    .hostRegisterSupported = 1,
    .memoryPoolsSupported = 1,
    .clusterLaunch = 1,
    .LADDER_GONE(clockRate) = 1000000,
    .LADDER_GONE(memoryClockRate) = 1000000,
    .LADDER_GONE(deviceOverlap) = 1,
    .LADDER_GONE(maxTexture1DLinear) = 1 << 28,
    .LADDER_GONE(singleToDoublePrecisionPerfRatio) = 2,
};

inline int bytes_of_l2() { return is_another_gpu() ? 60 << 20 : properties.l2CacheSize; }

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaGetDeviceCount(int* count) {
    LADDER_WANTS(count);
    return ladder::give(count, ladder_devices());
}
inline LADDER_UNSEEN cudaError_t cudaGetDevice(int* device) {
    LADDER_WANTS(device);
    return ladder::give(device, ladder_current_device(-1));
}
inline LADDER_UNSEEN cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= ladder_devices()) return ladder::status(cudaErrorInvalidDevice);
    ladder_current_device(device);
    return ladder::status();
}

inline LADDER_UNSEEN cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    LADDER_WANTS(properties);
    if (device < 0 || device >= ladder_devices()) return ladder::status(cudaErrorInvalidDevice);
    *properties = ladder::properties;
    properties->multiProcessorCount = ladder_multiprocessors();
    properties->l2CacheSize = ladder::bytes_of_l2();
    if (ladder::is_another_gpu()) {
        strcpy(properties->name, "NVIDIA H200");
        properties->totalGlobalMem = ladder::another_memory;
        properties->memoryBusWidth = 6144;
        properties->pciBusID = 27;
        properties->uuid.bytes[0] = 1;
    }
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
#define LADDER_ATTRIBUTE(name, number, own_value) case cudaDevAttr##name: *value = own_value; break;
        LADDER_ATTRIBUTES(LADDER_ATTRIBUTE) LADDER_ATTRIBUTES_OF_NOTHING(LADDER_ATTRIBUTE)
#undef LADDER_ATTRIBUTE
        default: return ladder::status(cudaErrorInvalidValue);
    }
    return ladder::status();
}
#undef LADDER_ATTRIBUTES
#undef LADDER_ATTRIBUTES_OF_NOTHING

inline LADDER_UNSEEN cudaError_t cudaRuntimeGetVersion(int* version) {
    LADDER_WANTS(version);
    *version = 13000;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDriverGetVersion(int* version) {
    LADDER_WANTS(version);
    *version = ladder::is_another_gpu() ? 13020 : 13000;   // newer drivers run older programs
    return ladder::status();
}

// Only asked for, but for heap and stack: there are no caches. Stacks are as large as they are, but a GPU's are known.
namespace ladder {
inline std::size_t limits[7] = {1024, 8650752, 0, 0, 2048};   // by cudaLimit, as on an H200: stack, printf, launches by kernels
inline unsigned device_flags = 0;
}
inline LADDER_UNSEEN cudaError_t cudaDeviceReset(LADDER_LINE) { return ladder::status(ladder_device_reset(line)); }
inline LADDER_UNSEEN cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    LADDER_WANTS(limit >= 0 && limit < 7);
    ladder::limits[limit] = value;
    if (limit == cudaLimitMallocHeapSize) ladder_set_heap(value);
    if (limit == cudaLimitStackSize) ladder_set_stack(value);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    LADDER_WANTS(value && limit >= 0 && limit < 7);
    *value = limit == cudaLimitMallocHeapSize ? ladder_heap() : ladder::limits[limit];
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaSetDeviceFlags(unsigned flags) {
    LADDER_WANTS(flags < 0x100);
    ladder::device_flags = flags;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaCtxResetPersistingL2Cache() { return ladder::status(); }
