// The first header of a PyTorch extension's source: torch's own, read as for a CPU, then CUDA's. Its tensors are the CPU's,
// and what it asks of CUDA tensors is answered for these.
#pragma once

// Of torch's C++ front end (<torch/all.h>), modules, optimizers, data sets and TorchScript are a third of what a build
// takes, and rarely named: they are read where a file is found to need them, or includes them itself.
#ifdef LADDER_ALL_OF_TORCH
#include <torch/extension.h>
#else
#define TORCH_INDUCTOR_CPP_WRAPPER   // torch's own way to leave that front end out
#include <torch/extension.h>
#undef TORCH_INDUCTOR_CPP_WRAPPER
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/enum.h>
#include <torch/fft.h>
#include <torch/nested.h>
#include <torch/sparse.h>
#include <torch/special.h>
#include <torch/utils.h>
#include <torch/version.h>
#endif

#include <c10/core/CPUAllocator.h>

#define LADDER_GRAPHS
#include "ladder_first.h"
#include "ladder_program.h"

#define is_cuda is_cpu
#define kCUDA kCPU

namespace at {

template <class T> struct RestrictPtrTraits { using PtrType = T* __restrict__; };   // torch has it for CUDA alone

}  // namespace at

namespace ladder {

// Every tensor that is made while an extension's function runs is memory that kernels may touch, as long as it lives.
class TensorMemory : public c10::Allocator {
public:
    explicit TensorMemory(c10::Allocator* from) : from_(from) {}
    LADDER_UNSEEN c10::DataPtr allocate(std::size_t bytes) override {
        auto* const kept = new c10::DataPtr(from_->allocate(bytes));
        if (bytes) ladder_host_register(kept->get(), bytes, 0);
        return {kept->get(), kept, &release, kept->device()};
    }
    LADDER_UNSEEN void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

private:
    static LADDER_UNSEEN void release(void* context) {
        auto* const kept = static_cast<c10::DataPtr*>(context);
        ladder_host_unregister(kept->get());
        delete kept;
    }
    c10::Allocator* from_;
};

}  // namespace ladder

// Called around each function of the extension.
extern "C" inline __attribute__((used, visibility("default"))) LADDER_UNSEEN void ladder_tensors(int watched) {
    static c10::Allocator* const own = c10::GetCPUAllocator();
    static ladder::TensorMemory memory(own);
    c10::SetCPUAllocator(watched ? static_cast<c10::Allocator*>(&memory) : own, 255);
}

// ---- ATen/cuda and c10/cuda ----

namespace c10::cuda {

class CUDAStream {
public:
    CUDAStream(cudaStream_t stream = nullptr) : stream_(stream) {}
    operator cudaStream_t() const { return stream_; }
    cudaStream_t stream() const { return stream_; }
    void synchronize() const { cudaStreamSynchronize(stream_); }
    bool query() const { return cudaStreamQuery(stream_) == cudaSuccess; }
    c10::DeviceIndex device_index() const { return 0; }
    c10::StreamId id() const { return reinterpret_cast<c10::StreamId>(stream_); }
    bool operator==(const CUDAStream& other) const { return stream_ == other.stream_; }
    bool operator!=(const CUDAStream& other) const { return stream_ != other.stream_; }

private:
    cudaStream_t stream_;
};

inline cudaStream_t& ladder_current_stream() {
    static cudaStream_t stream = nullptr;
    return stream;
}
inline CUDAStream getCurrentCUDAStream(c10::DeviceIndex = -1) { return ladder_current_stream(); }
inline CUDAStream getDefaultCUDAStream(c10::DeviceIndex = -1) { return {}; }
inline void setCurrentCUDAStream(CUDAStream stream) { ladder_current_stream() = stream; }
inline CUDAStream getStreamFromPool(bool = false, c10::DeviceIndex = -1) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
}
inline CUDAStream getStreamFromExternal(cudaStream_t stream, c10::DeviceIndex) { return stream; }

struct CUDAGuard {
    template <class Device> explicit CUDAGuard(Device&&) {}
    template <class Device> void set_device(Device&&) {}
    template <class Index> void set_index(Index) {}
};
struct OptionalCUDAGuard {
    OptionalCUDAGuard() = default;
    template <class Device> explicit OptionalCUDAGuard(Device&&) {}
    template <class Device> void set_device(Device&&) {}
    template <class Index> void set_index(Index) {}
};
class CUDAStreamGuard {
public:
    explicit CUDAStreamGuard(CUDAStream stream) : before_(ladder_current_stream()) { ladder_current_stream() = stream; }
    ~CUDAStreamGuard() { ladder_current_stream() = before_; }

private:
    cudaStream_t before_;
};
inline void device_synchronize() { cudaDeviceSynchronize(); }
inline c10::DeviceIndex device_count() { return 1; }
inline c10::DeviceIndex current_device() { return 0; }

}  // namespace c10::cuda

namespace at::cuda {

using namespace c10::cuda;
inline cudaDeviceProp* getCurrentDeviceProperties() {
    static cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return &properties;
}
inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex) { return getCurrentDeviceProperties(); }
inline int warp_size() { return 32; }
inline bool is_available() { return true; }

class CUDAEvent {
public:
    CUDAEvent(unsigned flags = cudaEventDefault) { cudaEventCreateWithFlags(&event_, flags); }
    ~CUDAEvent() { cudaEventDestroy(event_); }
    CUDAEvent(const CUDAEvent&) = delete;
    void record(CUDAStream stream = getCurrentCUDAStream()) { cudaEventRecord(event_, stream); }
    void block(CUDAStream stream) { cudaStreamWaitEvent(stream, event_, 0); }
    void synchronize() { cudaEventSynchronize(event_); }
    cudaEvent_t event() const { return event_; }

private:
    cudaEvent_t event_;
};

}  // namespace at::cuda

#define C10_CUDA_CHECK(call)                                                              \
    do {                                                                                  \
        const cudaError_t ladder_its = (call);                                            \
        TORCH_CHECK(ladder_its == cudaSuccess, "CUDA error: ", cudaGetErrorString(ladder_its)); \
    } while (0)
#define AT_CUDA_CHECK C10_CUDA_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK((ladder_fault(1), cudaGetLastError()))   // nobody waits for a tensor of the CPU
#define THCudaCheck C10_CUDA_CHECK
#define CUDA_KERNEL_LOOP_TYPE(i, n, type) \
    for (type i = static_cast<type>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); i += static_cast<type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

template <class T> LADDER_INLINE T gpuAtomicAdd(T* to, T value) { return atomicAdd(to, value); }
template <class T> LADDER_INLINE void gpuAtomicAddNoReturn(T* to, T value) { atomicAdd(to, value); }
namespace at::native { using ::gpuAtomicAdd; }
