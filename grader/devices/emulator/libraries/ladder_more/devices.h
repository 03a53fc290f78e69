// Several devices, their peers, callbacks of streams, and what is only asked for.
#pragma once

#include <dlfcn.h>

#include "refused.h"

#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10

// ---- peers: all devices have one memory here, and each may touch all of it ----

inline LADDER_UNSEEN cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    LADDER_WANTS(can);
    if (device < 0 || peer < 0 || device >= ladder_devices() || peer >= ladder_devices()) return ladder::status(cudaErrorInvalidDevice);
    *can = device != peer;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    LADDER_WANTS(flags == 0);
    if (peer < 0 || peer >= ladder_devices()) return ladder::status(cudaErrorInvalidDevice);
    if (peer == ladder_current_device(-1)) return ladder::status(cudaErrorPeerAccessUnsupported);
    return ladder::status(ladder_peer_access(peer, 1) ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled);
}
inline LADDER_UNSEEN cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return ladder::status(ladder_peer_access(peer, 0) ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
}
inline LADDER_UNSEEN cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes, LADDER_LINE) {
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice, line);
}
inline LADDER_UNSEEN cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream = nullptr,
                                                     LADDER_LINE) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream, line);
}
enum cudaDeviceP2PAttr { cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported, cudaDevP2PAttrNativeAtomicSupported,
                         cudaDevP2PAttrCudaArrayAccessSupported };
inline LADDER_UNSEEN cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int, int) {
    *value = attribute != cudaDevP2PAttrPerformanceRank;
    return ladder::status();
}

// ---- streams ----

using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);
inline LADDER_UNSEEN cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned flags, LADDER_LINE) {
    LADDER_WANTS(function && flags == 0);
    if (const int error = ladder_stream_work(stream, line)) return ladder::status(error);
    ladder_host_function(true);   // it is called when the work before it is done
    const cudaError_t before = cudaGetLastError();
    function(stream, before, data);
    ladder_host_function(false);
    return ladder::status();
}
// What a stream was made with stands in its handle (runtime/streams.cpp); CUDA's own three have it not.
namespace ladder {
inline LADDER_UNSEEN int made_with(cudaStream_t stream) {
    return stream > cudaStreamPerThread ? static_cast<int>(reinterpret_cast<std::size_t>(stream) & 15) : 0;
}
}  // namespace ladder
inline LADDER_UNSEEN cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    LADDER_WANTS(priority);
    *priority = -(ladder::made_with(stream) >> 1);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    LADDER_WANTS(flags);
    *flags = ladder::made_with(stream) & 1 ? cudaStreamNonBlocking : cudaStreamDefault;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    LADDER_WANTS(id);
    *id = reinterpret_cast<unsigned long long>(stream);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) { return cudaGetDevice(device); }
#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributePriority cudaLaunchAttributePriority
inline LADDER_UNSEEN cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
inline LADDER_UNSEEN cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned flags = 0) {
    LADDER_WANTS(flags <= 1);
    return cudaEventRecord(event, stream);
}

// ---- what is only asked for ----

enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
inline LADDER_UNSEEN cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    *config = cudaSharedMemBankSizeFourByte;
    return ladder::status();
}
template <class F> LADDER_UNSEEN cudaError_t cudaFuncSetSharedMemConfig(F*, cudaSharedMemConfig) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    *config = cudaFuncCachePreferNone;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    LADDER_WANTS(text && length > 12);
    if (device < 0 || device >= ladder_devices()) return ladder::status(cudaErrorInvalidDevice);
    memcpy(text, "0000:00:00.0", 13), text[6] = static_cast<char>('0' + device);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
    LADDER_WANTS(device && text);
    char own[13];
    for (int each = 0; each < ladder_devices(); ++each)
        if (cudaDeviceGetPCIBusId(own, sizeof own, each), strcmp(own, text) == 0) return *device = each, ladder::status();
    return ladder::status(cudaErrorInvalidDevice);
}
inline LADDER_UNSEEN cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
inline LADDER_UNSEEN cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    LADDER_WANTS(flags);
    *flags = ladder::device_flags;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }   // older names of these two
inline LADDER_UNSEEN cudaError_t cudaThreadExit(LADDER_LINE) { return cudaDeviceReset(line); }
inline LADDER_UNSEEN cudaError_t cudaProfilerStart() { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaProfilerStop() { return ladder::status(); }

template <class F> LADDER_UNSEEN cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, F* kernel, int blocks, int threads) {
    if (blocks <= 0 || threads <= 0 || threads > ladder::threads_per_block) return ladder::status(cudaErrorInvalidValue);
    const std::size_t taken = ladder_static_shared(ladder::address(kernel)), each = ladder::shared_per_multiprocessor / blocks;
    const std::size_t room = each < ladder::reserved_shared + taken ? 0 : each - ladder::reserved_shared - taken;
    *bytes = room + taken < ladder::shared_per_block_optin ? room : ladder::shared_per_block_optin - taken;
    return ladder::status();
}
template <class F> LADDER_UNSEEN cudaError_t cudaFuncGetName(const char** name, F* kernel) {
    Dl_info found{};
    *name = dladdr(ladder::address(kernel), &found) ? found.dli_sname : nullptr;
    return ladder::status(*name ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

#define cudaIpcGetMemHandle(...) LADDER_REFUSED(cudaError_t, "cudaIpcGetMemHandle")
#define cudaIpcOpenMemHandle(...) LADDER_REFUSED(cudaError_t, "cudaIpcOpenMemHandle")
#define cudaIpcCloseMemHandle(...) LADDER_REFUSED(cudaError_t, "cudaIpcCloseMemHandle")
#define cudaIpcGetEventHandle(...) LADDER_REFUSED(cudaError_t, "cudaIpcGetEventHandle")
#define cudaIpcOpenEventHandle(...) LADDER_REFUSED(cudaError_t, "cudaIpcOpenEventHandle")
#define cudaImportExternalMemory(...) LADDER_REFUSED(cudaError_t, "cudaImportExternalMemory")
#define cudaGraphicsMapResources(...) LADDER_REFUSED(cudaError_t, "cudaGraphicsMapResources")
struct cudaIpcMemHandle_t { char reserved[64]; };
struct cudaIpcEventHandle_t { char reserved[64]; };
#define cudaIpcMemLazyEnablePeerAccess 0x01
