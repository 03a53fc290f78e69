// Memory of both sides, pitched memory, pools: what transfer.h has not.
#pragma once

#include "refused.h"

#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08
#define cudaMemAttachSingle 0x04
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)

// ---- managed memory ----

enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy,
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma,
    cudaMemLocationTypeHostNumaCurrent,
};
struct cudaMemLocation { cudaMemLocationType type; int id; };
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation, cudaMemRangeAttributeAccessedBy,
    cudaMemRangeAttributeLastPrefetchLocation,
};

namespace ladder {

// Where memory lies shows nowhere here; that it is managed or not does.
inline LADDER_UNSEEN cudaError_t told(const void* pointer) {
    return status(ladder_memory_kind(pointer) == 3 ? Success : InvalidValue);
}

}  // namespace ladder

// CUDA 12's form has a device, CUDA 13's a location and flags.
inline LADDER_UNSEEN cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t, int, cudaStream_t = nullptr) {
    return ladder::told(pointer);
}
inline LADDER_UNSEEN cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t, cudaMemLocation, unsigned, cudaStream_t = nullptr) {
    return ladder::told(pointer);
}
inline LADDER_UNSEEN cudaError_t cudaMemAdvise(const void* pointer, std::size_t, cudaMemoryAdvise, int) { return ladder::told(pointer); }
inline LADDER_UNSEEN cudaError_t cudaMemAdvise(const void* pointer, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
    return ladder::told(pointer);
}
inline LADDER_UNSEEN cudaError_t cudaMemRangeGetAttribute(void* value, std::size_t bytes, cudaMemRangeAttribute, const void* pointer, std::size_t) {
    memset(value, 0, bytes);
    return ladder::told(pointer);
}
template <class T>
LADDER_UNSEEN cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, std::size_t = 0, unsigned flags = cudaMemAttachSingle) {
    LADDER_WANTS(stream || flags != cudaMemAttachSingle);
    return ladder::told(pointer);
}

// ---- questions about addresses; host memory that kernels may touch has one address for both sides ----

enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
    long reserved[8];
};

inline LADDER_UNSEEN cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    LADDER_WANTS(attributes);
    void* const address = const_cast<void*>(pointer);
    const auto type = static_cast<cudaMemoryType>(ladder_memory_kind(pointer));
    *attributes = {type, type == cudaMemoryTypeUnregistered ? -2 : 0, type == cudaMemoryTypeUnregistered ? nullptr : address,
                   type == cudaMemoryTypeDevice ? nullptr : address};
    return ladder::status();
}
template <class T> LADDER_UNSEEN cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
    LADDER_WANTS(device && flags == 0);
    const int kind = ladder_memory_kind(host);
    *device = kind == cudaMemoryTypeHost ? static_cast<T*>(host) : nullptr;
    return ladder::status(*device ? cudaSuccess : cudaErrorInvalidValue);
}
inline LADDER_UNSEEN cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
    LADDER_WANTS(flags);
    *flags = cudaHostAllocMapped;
    return ladder::status(ladder_memory_kind(host) == cudaMemoryTypeHost ? cudaSuccess : cudaErrorInvalidValue);
}

// ---- pools ----

enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    void* win32SecurityAttributes;
    std::size_t maxSize;
    unsigned char reserved[54];
};
struct cudaMemAccessDesc { cudaMemLocation location; cudaMemAccessFlags flags; };

inline LADDER_UNSEEN cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
    *pool = reinterpret_cast<cudaMemPool_t>(new char);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    delete reinterpret_cast<char*>(pool);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, std::size_t) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
inline LADDER_UNSEEN cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t, cudaMemLocation*) {
    LADDER_WANTS(flags);
    *flags = cudaMemAccessFlagsProtReadWrite;
    return ladder::status();
}
template <class T>
LADDER_UNSEEN cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaMemPool_t, cudaStream_t stream, LADDER_LINE) {
    return cudaMallocAsync(pointer, bytes, stream, line);
}
template <class T>
LADDER_UNSEEN cudaError_t cudaMallocFromPoolAsync(T** pointer, std::size_t bytes, cudaMemPool_t, cudaStream_t stream, LADDER_LINE) {
    return cudaMallocAsync(pointer, bytes, stream, line);
}
