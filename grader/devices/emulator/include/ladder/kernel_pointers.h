// Kernels whose type a program has forgotten: `const void* kernel = (const void*)add;`, for cudaLaunchKernel(kernel, ...).
#pragma once

#include "launch.h"

namespace ladder {

// Of each such kernel, by its address: what starts it with the types of its parameters.
struct KnownKernel {
    using Start = cudaError_t(const void* kernel, int line, const Config& c, bool cooperative, void** arguments);
    const void* kernel;
    Start* start;
    KnownKernel* next;

    static LADDER_UNSEEN const KnownKernel* find(const void* kernel) {
        const KnownKernel* found = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
        while (found && found->kernel != kernel) found = found->next;
        return found;
    }
    static LADDER_UNSEEN void keep(const void* kernel, Start* start) {
        if (find(kernel)) return;
        const auto its = new KnownKernel{kernel, start, all};
        while (!__atomic_compare_exchange_n(&all, &its->next, its, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
    }

private:
    static inline KnownKernel* all = nullptr;
};

template <class... P>
LADDER_UNSEEN cudaError_t start_known(const void* kernel, int line, const Config& c, bool cooperative, void** arguments) {
    const auto its = reinterpret_cast<void (*)(P...)>(const_cast<void*>(kernel));
    return launch_configured(ladder_kernel_name(kernel), line, cooperative, its, c, arguments);
}

// `Forget<const void*>() ->* add`: the cast, as translation writes it (kernel_pointers.py).
template <class To> struct Forget {};
template <class To, class From> LADDER_UNSEEN To operator->*(Forget<To>, From&& other) { return (To)other; }
template <class To, class... P> LADDER_UNSEEN To operator->*(Forget<To>, void (*kernel)(P...)) {
    KnownKernel::keep(reinterpret_cast<const void*>(kernel), &start_known<P...>);
    return reinterpret_cast<To>(kernel);
}

inline LADDER_UNSEEN cudaError_t launch_known(const void* kernel, int line, const Config& c, bool cooperative, void** arguments) {
    const KnownKernel* const known = KnownKernel::find(kernel);
    return known ? known->start(kernel, line, c, cooperative, arguments) : status(cudaErrorInvalidDeviceFunction);
}
inline LADDER_UNSEEN cudaError_t launch_pointers(const char*, int line, bool cooperative, const void* kernel, dim3 grid, dim3 block,
                                                 void** arguments, std::size_t shared = 0, cudaStream_t stream = nullptr) {
    return launch_known(kernel, line, config(grid, block, shared, stream), cooperative, arguments);
}
inline LADDER_UNSEEN cudaError_t launch_pointers(const char*, int line, const cudaLaunchConfig_t* c, const void* kernel, void** arguments) {
    return launch_known(kernel, line, config(*c), is_cooperative(*c), arguments);
}

}  // namespace ladder
