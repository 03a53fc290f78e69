// How a library's device algorithms run: as kernels of the emulator, so that what functors touch is checked like any
// kernel's accesses.
#pragma once

#include "refused.h"

template <class F> __global__ void ladder_each(F f, long n) {
    const long step = static_cast<long>(gridDim.x) * blockDim.x;
    for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) f(i);
}

namespace ladder {

// f(0), ..., f(n - 1), in any order.
template <class F> LADDER_UNSEEN void each(const char* name, int line, cudaStream_t stream, long n, F f) {
    if (n <= 0) return;
    const unsigned threads = n < 256 ? static_cast<unsigned>(n) : 256, blocks = static_cast<unsigned>((n + 255) / 256 < 4096 ? (n + 255) / 256 : 4096);
    auto call = [=]() LADDER_UNSEEN { ladder_each<F>(f, n); };
    start(name, line, config(blocks, threads, 0, stream), false, call);
}

// What f() is, worked out by one thread of a kernel.
template <class T, class F> LADDER_UNSEEN T computed(const char* name, int line, cudaStream_t stream, F f) {
    void* place = nullptr;
    T result{};
    ladder_malloc(&place, sizeof(T), line);
    T* const to = static_cast<T*>(place);
    each(name, line, stream, 1, [=](long) mutable { *to = f(); });
    ladder_host_waits(stream);
    ladder_memcpy(&result, place, sizeof(T), Copy::DeviceToHost, line);
    ladder_free(place, line);
    return result;
}

}  // namespace ladder
