// Device memory as host code sees it: allocate, copy, set, and the addresses of __device__ variables.
#pragma once

#include <type_traits>

#include "streams.h"
#include "standard.h"

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};

#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02

namespace ladder {

LADDER_INLINE char* byte(void* base, std::size_t offset) { return static_cast<char*>(base) + offset; }
LADDER_INLINE const char* byte(const void* base, std::size_t offset) { return static_cast<const char*>(base) + offset; }

inline LADDER_UNSEEN cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, int line) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return status(cudaErrorInvalidMemcpyDirection);
    return status(ladder_memcpy(to, from, bytes, static_cast<Copy>(kind), line));
}

// The host does not wait for a copy within device memory, which is work on the default stream.
LADDER_INLINE void note_copy_within(const void* to, const void* from, int line) {
    if (!ladder_is_program() && ladder_memory_kind(to) == 2 && ladder_memory_kind(from) == 2) ladder_default_stream(line);
}

inline LADDER_UNSEEN cudaError_t copy_in_order(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, int line) {
    note_copy_within(to, from, line);
    if (!ladder_is_program()) ladder_host_waits_for_all();
    return synchronous(line, [=]() LADDER_UNSEEN { return copy(to, from, bytes, kind, line); });
}
inline LADDER_UNSEEN cudaError_t copy_on_stream(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                                cudaStream_t stream, int line) {
    return asynchronous(stream, line, [=]() LADDER_UNSEEN { return copy(to, from, bytes, kind, line); });
}

// How many bytes are left of a variable of host code, where the compiler knows which it is; malloc's memory the runtime knows.
#if __has_builtin(__builtin_dynamic_object_size)
#define LADDER_BYTES_LEFT(pointer) __builtin_dynamic_object_size(pointer, 0)
#else
#define LADDER_BYTES_LEFT(pointer) __builtin_object_size(pointer, 0)
#endif

LADDER_INLINE int check_host_variables(void* to, const void* from, std::size_t bytes, int line) {
    if (const std::size_t left = LADDER_BYTES_LEFT(to); bytes > left)
        if (const int error = ladder_check_host_side(to, bytes, left, true, line)) return error;
    if (const std::size_t left = LADDER_BYTES_LEFT(from); bytes > left)
        if (const int error = ladder_check_host_side(from, bytes, left, false, line)) return error;
    return Success;
}

#undef LADDER_BYTES_LEFT

// `each(row)` for all of them, up to the first error: between two rows no host code runs that could touch device memory.
template <class Row> LADDER_UNSEEN cudaError_t for_rows(std::size_t rows, Row each) {
    ladder_rows(true);
    int error = Success;
    for (std::size_t row = 0; row < rows && !error; ++row) error = each(row);
    ladder_rows(false);
    return status(error);
}

inline LADDER_UNSEEN cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                           std::size_t width, std::size_t rows, cudaMemcpyKind kind, int line) {
    if (const int error = ladder_check_pitch(width, to_pitch < from_pitch ? to_pitch : from_pitch, line)) return status(error);
    if (to_pitch == width && from_pitch == width) width *= rows, rows = rows > 0;   // they lie one behind the other
    return for_rows(rows, [=](std::size_t row) LADDER_UNSEEN { return copy(byte(to, row * to_pitch), byte(from, row * from_pitch), width, kind, line); });
}

template <class T> LADDER_UNSEEN void* address_of(const T& symbol) {
    const volatile void* variable = &symbol;
    if constexpr (std::is_same_v<T, const void*>) variable = symbol;   // as a function has it that is given `&variable`
    return const_cast<void*>(variable);
}

// A variable's address is device memory in these copies alone.
inline LADDER_UNSEEN cudaError_t copy_to_symbol(void* symbol, std::size_t offset, const void* from, std::size_t bytes,
                                                cudaMemcpyKind kind, int line) {
    if (const int error = ladder_check_direction(static_cast<Copy>(kind), true, line)) return status(error);
    ladder_symbol(symbol, false, line);
    return copy(byte(symbol, offset), from, bytes, kind, line);
}
inline LADDER_UNSEEN cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t offset, std::size_t bytes,
                                                  cudaMemcpyKind kind, int line) {
    if (const int error = ladder_check_direction(static_cast<Copy>(kind), false, line)) return status(error);
    ladder_symbol(symbol, false, line);
    return copy(to, byte(symbol, offset), bytes, kind, line);
}

#ifndef __CUDA__

// What is freed, and the line: as a second parameter that would be in the way of `std::unique_ptr<T, decltype(&cudaFree)>`.
struct Freed {
    void* pointer;
    int line;
    LADDER_UNSEEN Freed(std::nullptr_t, LADDER_LINE) : pointer(nullptr), line(line) {}
    template <class T, LADDER_IF(std::is_convertible_v<const T&, void*>)>
    LADDER_UNSEEN Freed(const T& pointer, LADDER_LINE) : pointer(pointer), line(line) {}
};

#endif

}  // namespace ladder

// ---- allocation ----

// Where the call stands a kernel's memory is said to come from.
LADDER_INLINE cudaError_t cudaMalloc(void** pointer, std::size_t bytes, LADDER_LINE) {
    return ladder::status(ladder_malloc(pointer, bytes, line));
}
template <class T> LADDER_INLINE cudaError_t cudaMalloc(T** pointer, std::size_t bytes, LADDER_LINE) {
    return cudaMalloc((void**)(pointer), bytes, line);
}
template <class T>
LADDER_UNSEEN cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream, LADDER_LINE) {
    return ladder::status(ladder_malloc_async((void**)(pointer), bytes, stream, ladder::in_a_capture(stream), line));
}
template <class T>
LADDER_UNSEEN cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t rows,
                                          LADDER_LINE) {
    LADDER_WANTS(pitch);
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc((void**)(pointer), *pitch * rows, line);
}
#ifdef __CUDA__
__host__ cudaError_t cudaFree(void* pointer);
__host__ cudaError_t cudaFreeHost(void* pointer);
#else
LADDER_INLINE cudaError_t cudaFree(ladder::Freed freed) {
    return ladder::status(ladder_free(freed.pointer, freed.line));
}
inline LADDER_UNSEEN cudaError_t cudaFreeHost(ladder::Freed freed) {
    return ladder::status(ladder_free_host(freed.pointer, freed.line));
}
#endif
inline LADDER_UNSEEN cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream, LADDER_LINE) {
    return ladder::status(ladder_free_async(pointer, stream, ladder::in_a_capture(stream), line));
}

// The pool that cudaMallocAsync takes from: what it keeps after a cudaFreeAsync does not show here.
struct ladder_pool;
using cudaMemPool_t = ladder_pool*;
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh,
};
inline LADDER_UNSEEN cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    *pool = nullptr;
    return ladder::status(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
namespace ladder {
inline unsigned long long release_threshold = 0;   // only asked for
inline unsigned long long most_in_use = 0;         // likewise; of all memory, for all pools are one here
inline int reuses[3] = {1, 1, 1};                  // likewise
}
inline LADDER_UNSEEN cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr which, void* value) {
    LADDER_WANTS(value);
    const unsigned long long in_use = ladder_memory_in_use();
    if (in_use > ladder::most_in_use) ladder::most_in_use = in_use;
    const bool most = which == cudaMemPoolAttrReservedMemHigh || which == cudaMemPoolAttrUsedMemHigh;
    if (which < cudaMemPoolAttrReleaseThreshold) *static_cast<int*>(value) = ladder::reuses[which - 1];
    else *static_cast<unsigned long long*>(value) = which == cudaMemPoolAttrReleaseThreshold ? ladder::release_threshold : most ? ladder::most_in_use : in_use;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr which, void* value) {
    LADDER_WANTS(value);
    if (which < cudaMemPoolAttrReleaseThreshold) ladder::reuses[which - 1] = *static_cast<int*>(value);
    else if (which == cudaMemPoolAttrReleaseThreshold) ladder::release_threshold = *static_cast<unsigned long long*>(value);
    else ladder::most_in_use = 0;   // the other highest numbers can be begun again
    return ladder::status();
}

enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
inline LADDER_UNSEEN cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* capturing) {
    const bool captured = ladder::in_a_capture(stream) || ladder::is_another_gpu();   // where all that is asked for is another
    *capturing = captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return ladder::status();
}

// ---- memory of both sides: a whole program has it; to a graded file, page-locked memory is the host's ----

template <class T>
LADDER_UNSEEN cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned flags = cudaMemAttachGlobal, LADDER_LINE) {
    LADDER_WANTS(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    return ladder::status(ladder_malloc_managed((void**)(pointer), bytes, line));
}
template <class T> LADDER_UNSEEN cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned = 0, LADDER_LINE) {
    return ladder::status(ladder_malloc_host((void**)(pointer), bytes, line));
}
template <class T> LADDER_UNSEEN cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned flags, LADDER_LINE) {
    LADDER_WANTS(flags < 2 * cudaHostAllocWriteCombined);
    return cudaMallocHost(pointer, bytes, flags, line);
}
inline LADDER_UNSEEN cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags, LADDER_LINE) {
    LADDER_WANTS(flags < 16);   // four flags
    return ladder::status(ladder_host_register(pointer, bytes, line));
}
inline LADDER_UNSEEN cudaError_t cudaHostUnregister(void* pointer) { return ladder::status(ladder_host_unregister(pointer)); }

inline LADDER_UNSEEN cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    const std::size_t all = ladder::is_another_gpu() ? ladder::another_memory : ladder::global_memory, used = ladder_memory_in_use();
    if (total_bytes) *total_bytes = all;
    if (free_bytes) *free_bytes = (used < ladder::global_memory ? ladder::global_memory : all) - used;   // who takes half of it gets that
    return ladder::status();
}

// ---- copies ----

LADDER_INLINE cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, LADDER_LINE) {
    if (const int error = ladder::check_host_variables(to, from, bytes, line)) return ladder::status(error);
    return ladder::copy_in_order(to, from, bytes, kind, line);
}
LADDER_INLINE cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream = nullptr, LADDER_LINE) {
    if (const int error = ladder::check_host_variables(to, from, bytes, line)) return ladder::status(error);
    return ladder::copy_on_stream(to, from, bytes, kind, stream, line);
}
inline LADDER_UNSEEN cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                              std::size_t width, std::size_t rows, cudaMemcpyKind kind,
                                              LADDER_LINE) {
    ladder::note_copy_within(to, from, line);
    return ladder::synchronous(line, [=]() LADDER_UNSEEN {
        return ladder::copy_rows(to, to_pitch, from, from_pitch, width, rows, kind, line);
    });
}
inline LADDER_UNSEEN cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                                   std::size_t from_pitch, std::size_t width, std::size_t rows,
                                                   cudaMemcpyKind kind, cudaStream_t stream = nullptr,
                                                   LADDER_LINE) {
    return ladder::asynchronous(stream, line, [=]() LADDER_UNSEEN {
        return ladder::copy_rows(to, to_pitch, from, from_pitch, width, rows, kind, line);
    });
}

namespace ladder {

// The host does not wait for what sets memory of the GPU's own.
template <class Work> LADDER_UNSEEN cudaError_t setting(const void* to, int line, Work work) {
    if (!ladder_is_program()) return ladder_default_stream(line), work();
    const bool is_own = ladder_memory_kind(to) == 2;
    return is_own ? asynchronous(nullptr, line, work) : synchronous(line, work);
}

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaMemset(void* to, int value, std::size_t bytes, LADDER_LINE) {
    return ladder::setting(to, line, [=]() LADDER_UNSEEN { return ladder::status(ladder_memset(to, value, bytes, line)); });
}
inline LADDER_UNSEEN cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream = nullptr,
                                                 LADDER_LINE) {
    return ladder::asynchronous(stream, line, [=]() LADDER_UNSEEN { return ladder::status(ladder_memset(to, value, bytes, line)); });
}
namespace ladder {

inline LADDER_UNSEEN cudaError_t set_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t rows, int line) {
    LADDER_WANTS(rows <= 1 || ladder_check_pitch(width, pitch, line) == Success);
    return for_rows(rows, [=](std::size_t row) LADDER_UNSEEN { return ladder_memset(byte(to, row * pitch), value, width, line); });
}

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                                              std::size_t rows, LADDER_LINE) {
    return ladder::setting(to, line, [=]() LADDER_UNSEEN { return ladder::set_rows(to, pitch, value, width, rows, line); });
}
inline LADDER_UNSEEN cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                                   std::size_t rows, cudaStream_t stream = nullptr, LADDER_LINE) {
    return ladder::asynchronous(stream, line, [=]() LADDER_UNSEEN { return ladder::set_rows(to, pitch, value, width, rows, line); });
}

// ---- __device__ and __constant__ variables: here, a symbol is the variable itself ----


template <class T> LADDER_UNSEEN cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol, LADDER_LINE) {
    LADDER_WANTS(pointer);
    void* const variable = ladder::address_of(symbol);
    const int error = ladder_symbol(variable, true, line);
    if (!error) *pointer = variable;
    return ladder::status(error);
}
template <class T> LADDER_UNSEEN cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T& symbol, LADDER_LINE) {
    LADDER_WANTS(bytes);
    *bytes = sizeof(T);
    return ladder::status(ladder_symbol(ladder::address_of(symbol), true, line));
}
template <class T>
LADDER_UNSEEN cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                                             std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                             LADDER_LINE) {
    return ladder::synchronous(line, [=, variable = ladder::address_of(symbol)]() LADDER_UNSEEN {
        return ladder::copy_to_symbol(variable, offset, from, bytes, kind, line);
    });
}
template <class T>
LADDER_UNSEEN cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes,
                                                  std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = nullptr, LADDER_LINE) {
    return ladder::asynchronous(stream, line, [=, variable = ladder::address_of(symbol)]() LADDER_UNSEEN {
        return ladder::copy_to_symbol(variable, offset, from, bytes, kind, line);
    });
}
template <class T>
LADDER_UNSEEN cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                               LADDER_LINE) {
    return ladder::synchronous(line, [=, variable = ladder::address_of(symbol)]() LADDER_UNSEEN {
        return ladder::copy_from_symbol(to, variable, offset, bytes, kind, line);
    });
}
template <class T>
LADDER_UNSEEN cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr,
                                                    LADDER_LINE) {
    return ladder::asynchronous(stream, line, [=, variable = ladder::address_of(symbol)]() LADDER_UNSEEN {
        return ladder::copy_from_symbol(to, variable, offset, bytes, kind, line);
    });
}
