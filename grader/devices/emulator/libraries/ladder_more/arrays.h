// CUDA arrays, and copies of these and of pitched memory (include/ladder/pitched.h). An array's rows lie one behind the other.
#pragma once

#include <utility>

#include "refused.h"

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone,
};
struct cudaChannelFormatDesc {
    int x, y, z, w;   // bits
    cudaChannelFormatKind f;
};

struct cudaArray {
    void* data;
    cudaChannelFormatDesc format;
    cudaExtent extent;   // in elements; height or depth 0: it has fewer dimensions
    unsigned flags;
    LADDER_UNSEEN std::size_t element() const { return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8; }
    LADDER_UNSEEN std::size_t rows() const { return extent.height ? extent.height : 1; }
    LADDER_UNSEEN char* at(std::size_t x_bytes, std::size_t y, std::size_t z) const {
        return static_cast<char*>(data) + (z * rows() + y) * extent.width * element() + x_bytes;
    }
};
using cudaArray_t = cudaArray*;
using cudaArray_const_t = const cudaArray*;
using cudaMipmappedArray_t = struct cudaMipmappedArray*;

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

// ---- formats ----

inline LADDER_UNSEEN cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

namespace ladder {

// The components of a vector type; a number is one.
template <class T, class = void> struct Components { using type = T; };
template <class T> struct Components<T, std::void_t<decltype(T::x)>> { using type = std::remove_cv_t<decltype(T::x)>; };
template <class T> using component = typename Components<T>::type;

template <class T> LADDER_UNSEEN cudaChannelFormatDesc channels() {
    using One = component<T>;
    constexpr int bits = 8 * sizeof(One), count = sizeof(T) / sizeof(One);
    constexpr bool whole = std::is_integral_v<One>;
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
            !whole ? cudaChannelFormatKindFloat : std::is_signed_v<One> ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned};
}

}  // namespace ladder

template <class T> LADDER_UNSEEN cudaChannelFormatDesc cudaCreateChannelDesc() { return ladder::channels<T>(); }
inline LADDER_UNSEEN cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }

// ---- allocation ----

inline LADDER_UNSEEN cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags = 0,
                                                   LADDER_LINE) {
    *array = new cudaArray{nullptr, *format, extent, flags};
    const std::size_t bytes = extent.width * (*array)->rows() * (extent.depth ? extent.depth : 1) * (*array)->element();
    return ladder::status(ladder_malloc(&(*array)->data, bytes, line));
}
inline LADDER_UNSEEN cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width, std::size_t height = 0,
                                                 unsigned flags = 0, LADDER_LINE) {
    return cudaMalloc3DArray(array, format, {width, height, 0}, flags, line);
}
inline LADDER_UNSEEN cudaError_t cudaFreeArray(cudaArray_t array, LADDER_LINE) {
    if (!array) return ladder::status();
    if (!array->data) return ladder::status(ladder_wrong_call(cudaErrorInvalidValue, "this array was freed before: take one cudaFreeArray out", line));
    return ladder::status(ladder_free(std::exchange(array->data, nullptr), line));   // the handle stays, to be known as freed
}
inline LADDER_UNSEEN cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    *format = array->format;
    return ladder::status();
}

// ---- copies ----

inline LADDER_UNSEEN cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                                     std::size_t width, std::size_t rows, cudaMemcpyKind kind, LADDER_LINE) {
    return ladder::copy_rows(to->at(x, y, 0), to->extent.width * to->element(), from, pitch, width, rows, kind, line);
}
inline LADDER_UNSEEN cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                                       std::size_t width, std::size_t rows, cudaMemcpyKind kind, LADDER_LINE) {
    return ladder::copy_rows(to, pitch, from->at(x, y, 0), from->extent.width * from->element(), width, rows, kind, line);
}
inline LADDER_UNSEEN cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                                          std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream = nullptr,
                                                          LADDER_LINE) {
    ladder_stream_work(stream, line);
    return cudaMemcpy2DToArray(to, x, y, from, pitch, width, rows, kind, line);
}
inline LADDER_UNSEEN cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                                            std::size_t width, std::size_t rows, cudaMemcpyKind kind,
                                                            cudaStream_t stream = nullptr, LADDER_LINE) {
    ladder_stream_work(stream, line);
    return cudaMemcpy2DFromArray(to, pitch, from, x, y, width, rows, kind, line);
}
inline LADDER_UNSEEN cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                                                   cudaMemcpyKind kind, LADDER_LINE) {
    return ladder::copy(to->at(x, y, 0), from, bytes, kind, line);
}
inline LADDER_UNSEEN cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
                                                     cudaMemcpyKind kind, LADDER_LINE) {
    return ladder::copy(to, from->at(x, y, 0), bytes, kind, line);
}

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;   // its width is in elements if an array takes part, else in bytes
    cudaMemcpyKind kind;
};

namespace ladder {

inline LADDER_UNSEEN cudaError_t copy_volume(const cudaMemcpy3DParms* p, int line) {
    LADDER_WANTS(p);
    const auto place = [](cudaArray_t array, const cudaPitchedPtr& pitched, const cudaPos& at, std::size_t y, std::size_t z) {
        if (array) return array->at(at.x * array->element(), at.y + y, at.z + z);
        return static_cast<char*>(pitched.ptr) + ((at.z + z) * pitched.ysize + at.y + y) * pitched.pitch + at.x;
    };
    const cudaArray_t array = p->srcArray ? p->srcArray : p->dstArray;
    const std::size_t bytes = p->extent.width * (array ? array->element() : 1);
    LADDER_WANTS(p->srcArray || p->srcPos.x + bytes <= p->srcPtr.pitch);
    LADDER_WANTS(p->dstArray || p->dstPos.x + bytes <= p->dstPtr.pitch);
    for (std::size_t z = 0; z < p->extent.depth; ++z)
        for (std::size_t y = 0; y < p->extent.height; ++y)
            if (const auto error = copy(place(p->dstArray, p->dstPtr, p->dstPos, y, z), place(p->srcArray, p->srcPtr, p->srcPos, y, z), bytes,
                                                p->kind, line))
                return error;
    return status();
}

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p, LADDER_LINE) { return ladder::copy_volume(p, line); }
inline LADDER_UNSEEN cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream = nullptr, LADDER_LINE) {
    ladder_stream_work(stream, line);
    return ladder::copy_volume(p, line);
}

#define cudaMallocMipmappedArray(...) LADDER_REFUSED(cudaError_t, "cudaMallocMipmappedArray")
#define cudaGetMipmappedArrayLevel(...) LADDER_REFUSED(cudaError_t, "cudaGetMipmappedArrayLevel")
#define cudaFreeMipmappedArray(...) LADDER_REFUSED(cudaError_t, "cudaFreeMipmappedArray")
