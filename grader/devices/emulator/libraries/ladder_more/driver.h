// The driver API of a whole program: devices, contexts, memory, streams and events, as the runtime has them. A context is its
// device. What loads or launches code of its own is refused by name: no PTX or cubin runs here.
#pragma once

#include <algorithm>
#include <vector>

#include "refused.h"

// ---- devices ----

// By CUDA's numbers, which are the runtime's; the second list is of what no device has here.
#define LADDER_DRIVER_ATTRIBUTES(attribute) \
    attribute(MAX_THREADS_PER_BLOCK, 1) attribute(MAX_BLOCK_DIM_X, 2) attribute(MAX_BLOCK_DIM_Y, 3) attribute(MAX_BLOCK_DIM_Z, 4) \
    attribute(MAX_GRID_DIM_X, 5) attribute(MAX_GRID_DIM_Y, 6) attribute(MAX_GRID_DIM_Z, 7) attribute(MAX_SHARED_MEMORY_PER_BLOCK, 8) \
    attribute(TOTAL_CONSTANT_MEMORY, 9) attribute(WARP_SIZE, 10) attribute(MAX_REGISTERS_PER_BLOCK, 12) attribute(CLOCK_RATE, 13) \
    attribute(MULTIPROCESSOR_COUNT, 16) attribute(INTEGRATED, 18) attribute(CAN_MAP_HOST_MEMORY, 19) attribute(COMPUTE_MODE, 20) \
    attribute(CONCURRENT_KERNELS, 31) attribute(ECC_ENABLED, 32) attribute(TCC_DRIVER, 35) attribute(MEMORY_CLOCK_RATE, 36) \
    attribute(GLOBAL_MEMORY_BUS_WIDTH, 37) attribute(L2_CACHE_SIZE, 38) attribute(MAX_THREADS_PER_MULTIPROCESSOR, 39) \
    attribute(ASYNC_ENGINE_COUNT, 40) attribute(UNIFIED_ADDRESSING, 41) attribute(COMPUTE_CAPABILITY_MAJOR, 75) \
    attribute(COMPUTE_CAPABILITY_MINOR, 76) attribute(STREAM_PRIORITIES_SUPPORTED, 78) \
    attribute(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) attribute(MAX_REGISTERS_PER_MULTIPROCESSOR, 82) attribute(MANAGED_MEMORY, 83) \
    attribute(PAGEABLE_MEMORY_ACCESS, 88) attribute(CONCURRENT_MANAGED_ACCESS, 89) attribute(COOPERATIVE_LAUNCH, 95) \
    attribute(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) attribute(HOST_REGISTER_SUPPORTED, 99) attribute(MAX_BLOCKS_PER_MULTIPROCESSOR, 106) \
    attribute(MAX_PERSISTING_L2_CACHE_SIZE, 108) attribute(RESERVED_SHARED_MEMORY_PER_BLOCK, 111) attribute(MEMORY_POOLS_SUPPORTED, 115) \
    attribute(CLUSTER_LAUNCH, 120)
#define LADDER_DRIVER_ABSENT(attribute) \
    attribute(KERNEL_EXEC_TIMEOUT, 17) attribute(PCI_DEVICE_ID, 34) attribute(PCI_DOMAIN_ID, 50) attribute(MULTI_GPU_BOARD, 84) \
    attribute(HOST_NATIVE_ATOMIC_SUPPORTED, 86) attribute(COMPUTE_PREEMPTION_SUPPORTED, 90) attribute(COOPERATIVE_MULTI_DEVICE_LAUNCH, 96) \
    attribute(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102) attribute(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103) \
    attribute(GENERIC_COMPRESSION_SUPPORTED, 107) attribute(GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, 110) \
    attribute(GPU_DIRECT_RDMA_SUPPORTED, 116) attribute(HANDLE_TYPE_FABRIC_SUPPORTED, 128) attribute(MULTICAST_SUPPORTED, 132)
enum CUdevice_attribute {
#define LADDER_ATTRIBUTE(name, number) CU_DEVICE_ATTRIBUTE_##name = number,
    LADDER_DRIVER_ATTRIBUTES(LADDER_ATTRIBUTE) LADDER_DRIVER_ABSENT(LADDER_ATTRIBUTE)
#undef LADDER_ATTRIBUTE
};

namespace ladder {

inline LADDER_UNSEEN CUresult driver_status(int error) {
    if (error) cudaGetLastError();   // the driver's errors are returned and not kept
    return static_cast<CUresult>(error);
}
template <class T = void> LADDER_UNSEEN T* pointer_of(CUdeviceptr address) { return reinterpret_cast<T*>(address); }
inline LADDER_UNSEEN CUdeviceptr number_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
inline LADDER_UNSEEN bool is_device(CUdevice device) { return device >= 0 && device < ladder_devices(); }

}  // namespace ladder

#define CUDAAPI
#define LADDER_DRIVER inline LADDER_UNSEEN CUresult
LADDER_DRIVER cuInit(unsigned flags) { return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
LADDER_DRIVER cuDriverGetVersion(int* version) { return ladder::driver_status(cudaDriverGetVersion(version)); }
LADDER_DRIVER cuDeviceGetCount(int* count) { return ladder::driver_status(cudaGetDeviceCount(count)); }
LADDER_DRIVER cuDeviceGet(CUdevice* device, int number) {
    if (!ladder::is_device(number)) return CUDA_ERROR_INVALID_DEVICE;
    *device = number;
    return CUDA_SUCCESS;
}
LADDER_DRIVER cuDeviceGetName(char* name, int bytes, CUdevice device) {
    if (!ladder::is_device(device) || bytes < 1) return ladder::is_device(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
    __builtin_snprintf(name, static_cast<std::size_t>(bytes), "%s", ladder::properties.name);
    return CUDA_SUCCESS;
}
LADDER_DRIVER cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
    *bytes = ladder::properties.totalGlobalMem;
    return ladder::is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
LADDER_DRIVER cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    switch (attribute) {
#define LADDER_ATTRIBUTE(name, number) case number:
        LADDER_DRIVER_ABSENT(LADDER_ATTRIBUTE)
#undef LADDER_ATTRIBUTE
        *value = 0;
        return ladder::is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
        default: return ladder::driver_status(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
    }
}
LADDER_DRIVER cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    *major = ladder::properties.major, *minor = ladder::properties.minor;
    return ladder::is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
LADDER_DRIVER cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) { return ladder::driver_status(cudaDeviceCanAccessPeer(can, device, peer)); }

LADDER_DRIVER cuGetErrorName(CUresult error, const char** name) {
    switch (error) {
#define LADDER_ERROR(name_, number) case number: *name = "CUDA_ERROR_" #name_; return CUDA_SUCCESS;
        LADDER_DRIVER_ERRORS(LADDER_ERROR)
#undef LADDER_ERROR
        case CUDA_SUCCESS: *name = "CUDA_SUCCESS"; return CUDA_SUCCESS;
    }
    *name = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}
LADDER_DRIVER cuGetErrorString(CUresult error, const char** text) {
    const CUresult known = cuGetErrorName(error, text);
    if (!known) *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    return known;
}

// ---- contexts: each thread has a stack of them, and beneath it its device's own ----

struct CUctx_st { CUdevice device; };
enum CUcomputemode { CU_COMPUTEMODE_DEFAULT = 0, CU_COMPUTEMODE_PROHIBITED = 2, CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3 };
struct CUexecAffinityParam;
struct CUctxCigParam;
struct CUctxCreateParams { CUexecAffinityParam* execAffinityParams; int numExecAffinityParams; CUctxCigParam* cigParams; };

namespace ladder {

inline thread_local std::vector<CUcontext> contexts;
inline LADDER_UNSEEN CUcontext primary(CUdevice device) {
    static CUctx_st all[64];
    all[device].device = device;
    return &all[device];
}
inline LADDER_UNSEEN CUcontext context() { return contexts.empty() ? primary(ladder_current_device(-1)) : contexts.back(); }
inline LADDER_UNSEEN CUresult goes_to(CUcontext context) {
    if (context) ladder_current_device(context->device);
    return context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace ladder

LADDER_DRIVER cuCtxPushCurrent(CUcontext context) {
    if (context) ladder::contexts.push_back(context);
    return ladder::goes_to(context);
}
LADDER_DRIVER cuCtxPopCurrent(CUcontext* context) {
    if (ladder::contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = ladder::contexts.back();
    ladder::contexts.pop_back();
    return ladder::goes_to(ladder::context());
}
LADDER_DRIVER cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
    if (!ladder::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return cuCtxPushCurrent(*context = new CUctx_st{device});
}
LADDER_DRIVER cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device) { return cuCtxCreate(context, flags, device); }
LADDER_DRIVER cuCtxDestroy(CUcontext context) {
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    ladder_host_waits_for_all();
    auto& pushed = ladder::contexts;
    pushed.erase(std::remove(pushed.begin(), pushed.end(), context), pushed.end());
    delete context;
    return ladder::goes_to(ladder::context());
}
LADDER_DRIVER cuCtxSetCurrent(CUcontext context) {
    if (!ladder::contexts.empty()) ladder::contexts.pop_back();
    return context ? cuCtxPushCurrent(context) : CUDA_SUCCESS;
}
LADDER_DRIVER cuCtxGetCurrent(CUcontext* context) {
    *context = ladder::context();
    return CUDA_SUCCESS;
}
LADDER_DRIVER cuCtxGetDevice(CUdevice* device) {
    *device = ladder_current_device(-1);
    return CUDA_SUCCESS;
}
LADDER_DRIVER cuCtxSynchronize(LADDER_LINE) { return ladder::driver_status(cudaDeviceSynchronize()); }
LADDER_DRIVER cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    if (!ladder::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    *context = ladder::primary(device);
    return CUDA_SUCCESS;
}
LADDER_DRIVER cuDevicePrimaryCtxRelease(CUdevice device) { return ladder::is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

// ---- memory ----

LADDER_DRIVER cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr of) {
    void* begin = nullptr;
    std::size_t all = 0;
    if (!ladder_memory_range(ladder::pointer_of(of), &begin, &all)) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = ladder::number_of(begin);
    if (bytes) *bytes = all;
    return CUDA_SUCCESS;
}
LADDER_DRIVER cuMemAlloc(CUdeviceptr* address, std::size_t bytes, LADDER_LINE) {
    void* pointer = nullptr;
    const CUresult error = bytes ? ladder::driver_status(cudaMalloc(&pointer, bytes, line)) : CUDA_ERROR_INVALID_VALUE;
    *address = ladder::number_of(pointer);
    return error;
}
LADDER_DRIVER cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags, LADDER_LINE) {
    void* pointer = nullptr;
    const CUresult error = ladder::driver_status(cudaMallocManaged(&pointer, bytes, flags, line));
    *address = ladder::number_of(pointer);
    return error;
}
LADDER_DRIVER cuMemAllocHost(void** pointer, std::size_t bytes, LADDER_LINE) { return ladder::driver_status(cudaMallocHost(pointer, bytes, 0, line)); }
LADDER_DRIVER cuMemFree(CUdeviceptr address, LADDER_LINE) { return ladder::driver_status(ladder::status(ladder_free(ladder::pointer_of(address), line))); }
LADDER_DRIVER cuMemFreeHost(void* pointer, LADDER_LINE) { return ladder::driver_status(ladder::status(ladder_free_host(pointer, line))); }
LADDER_DRIVER cuMemGetInfo(std::size_t* free, std::size_t* total) { return ladder::driver_status(cudaMemGetInfo(free, total)); }
LADDER_DRIVER cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t bytes, LADDER_LINE) {
    return ladder::driver_status(cudaMemset(ladder::pointer_of(to), value, bytes, line));
}
#define LADDER_DRIVER_COPY(name, To, to, From, from, kind)                                                                    \
    LADDER_DRIVER cuMemcpy##name(To a, From b, std::size_t bytes, LADDER_LINE) {                                              \
        return ladder::driver_status(cudaMemcpy(to, from, bytes, kind, line));                                                \
    }                                                                                                                         \
    LADDER_DRIVER cuMemcpy##name##Async(To a, From b, std::size_t bytes, CUstream stream, LADDER_LINE) {                      \
        return ladder::driver_status(cudaMemcpyAsync(to, from, bytes, kind, stream, line));                                   \
    }
LADDER_DRIVER_COPY(, CUdeviceptr, ladder::pointer_of(a), CUdeviceptr, ladder::pointer_of(b), cudaMemcpyDefault)
LADDER_DRIVER_COPY(HtoD, CUdeviceptr, ladder::pointer_of(a), const void*, b, cudaMemcpyHostToDevice)
LADDER_DRIVER_COPY(DtoH, void*, a, CUdeviceptr, ladder::pointer_of(b), cudaMemcpyDeviceToHost)
LADDER_DRIVER_COPY(DtoD, CUdeviceptr, ladder::pointer_of(a), CUdeviceptr, ladder::pointer_of(b), cudaMemcpyDeviceToDevice)
#undef LADDER_DRIVER_COPY

// ---- streams and events ----

#define CU_STREAM_DEFAULT 0
#define CU_STREAM_NON_BLOCKING 1
#define CU_EVENT_DEFAULT 0
#define CU_EVENT_BLOCKING_SYNC 1
#define CU_EVENT_DISABLE_TIMING 2
#define CU_CTX_SCHED_AUTO 0
#define CU_MEM_ATTACH_GLOBAL 1
LADDER_DRIVER cuStreamCreate(CUstream* stream, unsigned flags, LADDER_LINE) { return ladder::driver_status(cudaStreamCreateWithFlags(stream, flags, line)); }
LADDER_DRIVER cuStreamDestroy(CUstream stream) { return ladder::driver_status(cudaStreamDestroy(stream)); }
LADDER_DRIVER cuStreamSynchronize(CUstream stream) { return ladder::driver_status(cudaStreamSynchronize(stream)); }
LADDER_DRIVER cuStreamQuery(CUstream stream) { return ladder::driver_status(cudaStreamQuery(stream)); }
LADDER_DRIVER cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) { return ladder::driver_status(cudaStreamWaitEvent(stream, event, flags)); }
LADDER_DRIVER cuEventCreate(CUevent* event, unsigned flags, LADDER_LINE) { return ladder::driver_status(cudaEventCreateWithFlags(event, flags, line)); }
LADDER_DRIVER cuEventDestroy(CUevent event) { return ladder::driver_status(cudaEventDestroy(event)); }
LADDER_DRIVER cuEventRecord(CUevent event, CUstream stream) { return ladder::driver_status(cudaEventRecord(event, stream)); }
LADDER_DRIVER cuEventSynchronize(CUevent event) { return ladder::driver_status(cudaEventSynchronize(event)); }
LADDER_DRIVER cuEventQuery(CUevent event) { return ladder::driver_status(cudaEventQuery(event)); }
LADDER_DRIVER cuEventElapsedTime(float* milliseconds, CUevent start, CUevent stop, LADDER_LINE) {
    return ladder::driver_status(cudaEventElapsedTime(milliseconds, start, stop, line));
}
#undef LADDER_DRIVER

// ---- code of its own, and memory by its pages ----

#define LADDER_NO_DRIVER(name) LADDER_REFUSED(CUresult, name)
#define cuModuleLoad(...) LADDER_NO_DRIVER("cuModuleLoad")
#define cuModuleLoadData(...) LADDER_NO_DRIVER("cuModuleLoadData")
#define cuModuleLoadDataEx(...) LADDER_NO_DRIVER("cuModuleLoadDataEx")
#define cuModuleLoadFatBinary(...) LADDER_NO_DRIVER("cuModuleLoadFatBinary")
#define cuModuleGetFunction(...) LADDER_NO_DRIVER("cuModuleGetFunction")
#define cuModuleGetGlobal(...) LADDER_NO_DRIVER("cuModuleGetGlobal")
#define cuModuleUnload(...) LADDER_NO_DRIVER("cuModuleUnload")
#define cuLibraryLoadData(...) LADDER_NO_DRIVER("cuLibraryLoadData")
#define cuLibraryLoadFromFile(...) LADDER_NO_DRIVER("cuLibraryLoadFromFile")
#define cuLibraryGetKernel(...) LADDER_NO_DRIVER("cuLibraryGetKernel")
#define cuLinkCreate(...) LADDER_NO_DRIVER("cuLinkCreate")
#define cuLinkAddData(...) LADDER_NO_DRIVER("cuLinkAddData")
#define cuLinkAddFile(...) LADDER_NO_DRIVER("cuLinkAddFile")
#define cuLinkComplete(...) LADDER_NO_DRIVER("cuLinkComplete")
#define cuLinkDestroy(...) LADDER_NO_DRIVER("cuLinkDestroy")
#define cuLaunchKernel(...) LADDER_NO_DRIVER("cuLaunchKernel")
#define cuLaunchKernelEx(...) LADDER_NO_DRIVER("cuLaunchKernelEx")
#define cuLaunchCooperativeKernel(...) LADDER_NO_DRIVER("cuLaunchCooperativeKernel")
#define cuFuncSetAttribute(...) LADDER_NO_DRIVER("cuFuncSetAttribute")
#define cuFuncGetAttribute(...) LADDER_NO_DRIVER("cuFuncGetAttribute")
#define cuMemAddressReserve(...) LADDER_NO_DRIVER("cuMemAddressReserve")
#define cuMemAddressFree(...) LADDER_NO_DRIVER("cuMemAddressFree")
#define cuMemCreate(...) LADDER_NO_DRIVER("cuMemCreate")
#define cuMemMap(...) LADDER_NO_DRIVER("cuMemMap")
#define cuMemUnmap(...) LADDER_NO_DRIVER("cuMemUnmap")
#define cuMemRelease(...) LADDER_NO_DRIVER("cuMemRelease")
#define cuMemSetAccess(...) LADDER_NO_DRIVER("cuMemSetAccess")
#define cuMemGetAllocationGranularity(...) LADDER_NO_DRIVER("cuMemGetAllocationGranularity")
#define cuTensorMapEncodeTiled(...) LADDER_NO_DRIVER("cuTensorMapEncodeTiled")
