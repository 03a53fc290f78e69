// Surface objects: reads and writes of arrays by byte offset along x, unlike textures without filter or conversion.
#pragma once

#include "textures.h"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

inline LADDER_UNSEEN cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource, LADDER_LINE) {
    const bool is_array = resource->resType == cudaResourceTypeArray;
    const cudaArray* const array = is_array ? resource->res.array.array : nullptr;
    const char* wrong = is_array ? nullptr : "a surface is of an array, so this call fails and makes none: type `resType = cudaResourceTypeArray`";
    if (is_array && (!array || !array->data)) wrong = ladder::no_memory;
    else if (is_array && !(array->flags & cudaArraySurfaceLoadStore))
        wrong = "this array takes no surface, so this call fails and makes none: type cudaArraySurfaceLoadStore as the last argument of its cudaMallocArray";
    if (wrong) return ladder::status(ladder_wrong_call(cudaErrorInvalidValue, wrong, line));
    *object = ladder::object_of(ladder::texture_of(*resource));
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaDestroyTextureObject(object); }

namespace ladder {

// The address of an element; null: outside, and to be taken as zero, or not to be written.
inline LADDER_UNSEEN char* surface_address(unsigned long long object, int x, int y, int z, unsigned bytes, cudaSurfaceBoundaryMode mode, int line) {
    const Texture& t = texture(object);
    const long room[3] = {static_cast<long>(t.row) - static_cast<long>(bytes), t.size[1] - 1, t.size[2] - 1};
    long at[3] = {x, y, z};
    for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] >= 0 && at[axis] <= room[axis]) continue;
        if (mode == cudaBoundaryModeZero) return nullptr;
        if (mode == cudaBoundaryModeTrap) ladder_trap("a surface is read or written outside of its array (x counts bytes)", line);
        at[axis] = at[axis] < 0 ? 0 : room[axis];
    }
    return const_cast<char*>(t.data) + static_cast<std::size_t>(at[2]) * t.slice + static_cast<std::size_t>(at[1]) * t.row + at[0];
}

template <class T> LADDER_INLINE T surface_read(const char* from) { return from ? *reinterpret_cast<const T*>(from) : T{}; }
template <class T> LADDER_INLINE void surface_write(char* to, const T& value) {
    if (to) *reinterpret_cast<T*>(to) = value;
}

}  // namespace ladder

#define LADDER_SURFACE(dimensions, parameters, y, z)                                                                            \
    template <class T>                                                                                                          \
    LADDER_INLINE T surf##dimensions##read(cudaSurfaceObject_t object, int x, LADDER_EACH parameters                            \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, LADDER_LINE) {                  \
        return ladder::surface_read<T>(ladder::surface_address(object, x, y, z, sizeof(T), mode, line));                        \
    }                                                                                                                           \
    template <class T>                                                                                                          \
    LADDER_INLINE void surf##dimensions##read(T* to, cudaSurfaceObject_t object, int x, LADDER_EACH parameters                  \
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, LADDER_LINE) {               \
        *to = ladder::surface_read<T>(ladder::surface_address(object, x, y, z, sizeof(T), mode, line));                         \
    }                                                                                                                           \
    template <class T>                                                                                                          \
    LADDER_INLINE void surf##dimensions##write(T value, cudaSurfaceObject_t object, int x, LADDER_EACH parameters               \
                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, LADDER_LINE) {              \
        ladder::surface_write(ladder::surface_address(object, x, y, z, sizeof(T), mode, line), value);                          \
    }
#define LADDER_EACH(...) __VA_ARGS__

LADDER_SURFACE(1D, (), 0, 0)
LADDER_SURFACE(2D, (int y,), y, 0)
LADDER_SURFACE(3D, (int y, int z,), y, z)
LADDER_SURFACE(1DLayered, (int layer,), 0, layer)
LADDER_SURFACE(2DLayered, (int y, int layer,), y, layer)

#undef LADDER_SURFACE
#undef LADDER_EACH
