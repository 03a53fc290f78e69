// Texture objects of one to three dimensions: addressing, filters and read modes as the CUDA programming guide's appendix
// on texture fetching says. Each texel that a fetch takes is a load of its own, at the learner's line.
#pragma once

#include <utility>

#include "ladder/narrow.h"
#include "arrays.h"

enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaResourceViewFormat { cudaResViewFormatNone };
struct cudaResourceViewDesc { cudaResourceViewFormat format; std::size_t width, height, depth; };

struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { cudaMipmappedArray_t mipmap; } mipmap;
        struct { void* devPtr; cudaChannelFormatDesc desc; std::size_t sizeInBytes; } linear;
        struct { void* devPtr; cudaChannelFormatDesc desc; std::size_t width, height, pitchInBytes; } pitch2D;
    } res;
};
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;

namespace ladder {

// What an object stands for: host memory that kernels do not read, for on a GPU it is the texture unit's.
struct Texture {
    const char* data;
    cudaChannelFormatDesc format;
    long size[3];
    std::size_t row, slice;   // bytes
    unsigned element;
    bool layered;
    cudaTextureDesc how;
    cudaResourceDesc resource;
    unsigned* asked;   // what coordinates fetches ask for (include/ladder/abi.h)
    LADDER_UNSEEN bool gives_floats() const {
        const int widest = format.x > format.y ? format.x : format.y;
        return format.f == cudaChannelFormatKindFloat || (how.readMode == cudaReadModeNormalizedFloat && widest < 32);
    }
};

inline LADDER_UNSEEN Texture* texture_of(const cudaResourceDesc& from) {
    auto* const t = new Texture{};
    t->resource = from;
    if (from.resType == cudaResourceTypeArray) {
        const cudaArray& a = *from.res.array.array;
        t->data = static_cast<const char*>(a.data);
        t->format = a.format;
        t->row = a.extent.width * a.element();
        t->size[0] = static_cast<long>(a.extent.width), t->size[1] = static_cast<long>(a.rows());
        t->size[2] = static_cast<long>(a.extent.depth ? a.extent.depth : 1);
        t->layered = (a.flags & cudaArrayLayered) != 0;
    } else if (from.resType == cudaResourceTypeLinear) {
        t->data = static_cast<const char*>(from.res.linear.devPtr);
        t->format = from.res.linear.desc;
        t->row = from.res.linear.sizeInBytes;
        t->size[1] = t->size[2] = 1;
    } else {
        t->data = static_cast<const char*>(from.res.pitch2D.devPtr);
        t->format = from.res.pitch2D.desc;
        t->row = from.res.pitch2D.pitchInBytes;
        t->size[0] = static_cast<long>(from.res.pitch2D.width), t->size[1] = static_cast<long>(from.res.pitch2D.height), t->size[2] = 1;
    }
    t->element = static_cast<unsigned>(t->format.x + t->format.y + t->format.z + t->format.w) / 8;
    if (from.resType == cudaResourceTypeLinear) t->size[0] = static_cast<long>(from.res.linear.sizeInBytes / t->element);
    t->slice = t->row * static_cast<std::size_t>(t->size[1]);
    return t;
}

// Of rows in linear memory: wide enough, and apart as cudaMallocPitch has them. A CUDA error.
inline LADDER_UNSEEN int refusal_of_rows(const cudaResourceDesc& from, int line) {
    if (from.resType != cudaResourceTypePitch2D) return cudaSuccess;
    const auto& rows = from.res.pitch2D;
    const auto element = static_cast<std::size_t>(rows.desc.x + rows.desc.y + rows.desc.z + rows.desc.w) / 8;
    return ladder_check_texture_pitch(rows.width * element, rows.pitchInBytes, line);
}

// Objects are numbers from 1, so that one which was never made, or is destroyed, is known as that.
constexpr unsigned most_objects = 1 << 16;
inline Texture* objects[most_objects];   // each at its number less one
inline LADDER_UNSEEN unsigned long long object_of(Texture* made) {
    static unsigned last = 0;
    for (unsigned tried = 0; tried < most_objects; ++tried, last = (last + 1) % most_objects)
        if (!objects[last]) return objects[last] = made, last + 1;
    ladder_trap("there are 65,536 texture and surface objects: destroy those that are no longer used", 0);
}
inline LADDER_UNSEEN bool is_object(unsigned long long object) { return object - 1 < most_objects && objects[object - 1]; }
inline LADDER_UNSEEN const Texture& texture(unsigned long long object) {
    if (!is_object(object))
        ladder_trap("this texture or surface object was never made, or is destroyed: look at what the call that makes it returns", 0);
    return *objects[object - 1];
}

// The texel that coordinate `i` means along an axis, or -1: the border.
inline LADDER_UNSEEN long addressed(const Texture& t, int axis, long i) {
    const long n = t.size[axis];
    cudaTextureAddressMode mode = t.how.addressMode[axis];
    const bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    if (repeats && !t.how.normalizedCoords) mode = cudaAddressModeClamp;
    if (i >= 0 && i < n) return i;
    if (mode == cudaAddressModeBorder) return -1;
    if (mode == cudaAddressModeClamp) return i < 0 ? 0 : n - 1;
    if (mode == cudaAddressModeWrap) return (i % n + n) % n;
    const long around = (i % (2 * n) + 2 * n) % (2 * n);
    return around < n ? around : 2 * n - 1 - around;
}

struct Texel { double channel[4]; };   // wide enough for 32-bit integers, too

inline LADDER_UNSEEN double channel_value(const Texture& t, const unsigned char* raw, int bits) {
    const bool normalized = t.how.readMode == cudaReadModeNormalizedFloat;
    const bool is_signed = t.format.f == cudaChannelFormatKindSigned;
    if (t.format.f == cudaChannelFormatKindFloat) {
        if (bits == 16) {
            Stored half;
            __builtin_memcpy(&half, raw, 2);
            return static_cast<double>(widen<Binary16>(half));
        }
        float value;
        __builtin_memcpy(&value, raw, 4);
        return static_cast<double>(value);
    }
    unsigned value = 0;
    __builtin_memcpy(&value, raw, static_cast<unsigned>(bits) / 8);
    const double plain = is_signed ? static_cast<double>(static_cast<int>(value << (32 - bits)) >> (32 - bits)) : static_cast<double>(value);
    if (!normalized || bits == 32) return plain;
    const double largest = static_cast<double>((1u << (bits - (is_signed ? 1 : 0))) - 1u);
    return plain / largest < -1 ? -1 : plain / largest;
}

inline LADDER_UNSEEN Texel decoded(const Texture& t, Quad raw) {
    unsigned char bytes[16];
    __builtin_memcpy(bytes, &raw, 16);
    const int bits[4] = {t.format.x, t.format.y, t.format.z, t.format.w};
    Texel texel{};
    for (int channel = 0, at = 0; channel < 4; at += bits[channel++] / 8)
        if (bits[channel]) texel.channel[channel] = channel_value(t, bytes + at, bits[channel]);
    return texel;
}

LADDER_INLINE Quad load_texel(const char* at, unsigned bytes) {
    switch (bytes) {
        case 1: return Quad{*reinterpret_cast<const unsigned char*>(at)};
        case 2: return Quad{*reinterpret_cast<const typename Word<2>::type*>(at)};
        case 4: return Quad{*reinterpret_cast<const typename Word<4>::type*>(at)};
        case 8: {
            const unsigned long long both = *reinterpret_cast<const typename Word<8>::type*>(at);
            return Quad{static_cast<unsigned>(both), static_cast<unsigned>(both >> 32)};
        }
        default: return *reinterpret_cast<const Quad*>(at);
    }
}

LADDER_INLINE Texel fetch(const Texture& t, long x, long y, long z);

inline LADDER_UNSEEN const char* texel_address(const Texture& t, long x, long y, long z) {
    return t.data + static_cast<std::size_t>(z) * t.slice + static_cast<std::size_t>(y) * t.row + static_cast<std::size_t>(x) * t.element;
}
inline LADDER_UNSEEN bool has_texel(const Texture& t, long x) { return x >= 0 && x < t.size[0]; }
inline LADDER_UNSEEN unsigned texel_bytes(const Texture& t) { return t.element; }
// Where whole numbers are read as fractions, no color is beyond theirs; as themselves they take its bits.
inline LADDER_UNSEEN double border_value(const Texture& t, float color) {
    if (t.format.f == cudaChannelFormatKindFloat) return static_cast<double>(color);
    const bool is_signed = t.format.f == cudaChannelFormatKindSigned;
    if (t.how.readMode == cudaReadModeNormalizedFloat) {
        const float least = is_signed ? -1.0f : 0.0f;
        return static_cast<double>(color < least ? least : color > 1 ? 1.0f : color);
    }
    unsigned bits;
    __builtin_memcpy(&bits, &color, 4);
    return is_signed ? static_cast<double>(static_cast<int>(bits)) : static_cast<double>(bits);
}
inline LADDER_UNSEEN Texel border(const Texture& t) {
    Texel texel;
    for (int channel = 0; channel < 4; ++channel) texel.channel[channel] = border_value(t, t.how.borderColor[channel]);
    return texel;
}

LADDER_INLINE Texel fetch(const Texture& t, long x, long y, long z) {
    if (x < 0 || y < 0 || z < 0) return border(t);
    return decoded(t, load_texel(texel_address(t, x, y, z), texel_bytes(t)));
}

// Where a fetch looks: up to two texels along each axis, and the weight of the second, of which the hardware keeps 8 bits.
struct Footprint {
    long low[3] = {}, high[3] = {};
    double weight[3] = {};
    int axes = 0;
};

// Remembers what tells fractions of an array from places in it.
inline LADDER_UNSEEN void remember(const Texture& t, int axis, float coordinate) {
    const float halves = 2 * coordinate;
    unsigned seen = coordinate < -1 || coordinate > 1 || t.size[axis] < 8 ? FetchedAt::Beyond : 0;
    if (halves != __builtin_floorf(halves)) seen |= FetchedAt::Between;
    if (axis == 0 && coordinate < 0.3f) seen |= FetchedAt::Low;
    if (axis == 0 && coordinate > 0.7f) seen |= FetchedAt::High;
    if (axis == 0 && coordinate >= 2) seen |= FetchedAt::Far;
    if (seen & ~__atomic_load_n(t.asked, __ATOMIC_RELAXED)) __atomic_fetch_or(t.asked, seen, __ATOMIC_RELAXED);
}
// Past the end of linear memory, but where it would end if its size counted elements and not bytes.
inline LADDER_UNSEEN void remember_past(const Texture& t, long i) {
    if (t.element > 1 && i + 1 == static_cast<long>(t.row)) __atomic_fetch_or(t.asked, FetchedAt::Last, __ATOMIC_RELAXED);
}
inline LADDER_UNSEEN void look(const Texture& t, Footprint& f, int axis, float coordinate) {
    remember(t, axis, coordinate);
    const double x = static_cast<double>(coordinate) * (t.how.normalizedCoords ? static_cast<double>(t.size[axis]) : 1.0);
    const bool linear = t.how.filterMode == cudaFilterModeLinear;
    const double first = __builtin_floor(linear ? x - 0.5 : x);
    f.low[axis] = addressed(t, axis, static_cast<long>(first));
    f.high[axis] = addressed(t, axis, static_cast<long>(first) + 1);
    f.weight[axis] = linear ? __builtin_floor((x - 0.5 - first) * 256 + 0.5) / 256 : 0;
    f.axes = axis + 1;
}
inline LADDER_UNSEEN Footprint square(const Texture& t, float x, float y) {   // for a gather, whatever the filter
    Footprint f;
    for (int axis = 0; axis < 2; ++axis) {
        const double at = static_cast<double>(axis ? y : x) * (t.how.normalizedCoords ? static_cast<double>(t.size[axis]) : 1.0);
        const long first = static_cast<long>(__builtin_floor(at - 0.5));
        f.low[axis] = addressed(t, axis, first);
        f.high[axis] = addressed(t, axis, first + 1);
    }
    return f;
}
inline LADDER_UNSEEN void look_at_layer(const Texture& t, Footprint& f, int layer, int axis) {
    const long last = t.size[axis] - 1;
    f.low[axis] = f.high[axis] = layer < 0 ? 0 : layer > last ? last : layer;
}
// The weights of the eight corners in 8 bits, as an H200 has them: products of the axes' weights are rounded, and what is left
// of an axis' weight is its other corners'.
inline LADDER_UNSEEN double rounded(double weight) { return __builtin_floor(weight * 256 + 0.5) / 256; }
inline LADDER_UNSEEN double weight_of(const Footprint& f, int corner) {
    const double x = f.weight[0], y = f.weight[1], z = f.weight[2];
    const double xy = rounded(x * y), xz = rounded(x * z), yz = rounded(y * z), xyz = rounded(x * y * z);
    const double of_corners[8] = {1 - x - y - z + xy + xz + yz - xyz, x - xy - xz + xyz, y - xy - yz + xyz, xy - xyz,
                                  z - xz - yz + xyz, xz - xyz, yz - xyz, xyz};
    return of_corners[corner];
}
inline LADDER_UNSEEN long place_of(const Footprint& f, int corner, int axis) { return corner >> axis & 1 ? f.high[axis] : f.low[axis]; }
inline LADDER_UNSEEN void add(Texel& sum, const Texel& texel, double weight) {
    for (int channel = 0; channel < 4; ++channel) sum.channel[channel] += weight * texel.channel[channel];
}

LADDER_INLINE Texel sampled(const Texture& t, const Footprint& f) {
    Texel sum{};
    for (int corner = 0; corner < 8; ++corner) {
        const double weight = weight_of(f, corner);
        if (weight != 0) add(sum, fetch(t, place_of(f, corner, 0), place_of(f, corner, 1), place_of(f, corner, 2)), weight);
    }
    return sum;
}

// Values as the texture gives them; a GPU hands over the bits of those of the other kind.
template <class T> LADDER_UNSEEN T as_value(const Texture& t, const Texel& texel) {
    using One = component<T>;
    if (std::is_integral_v<One> == t.gives_floats()) ladder_wrong_texel(t.gives_floats(), t.format.f == cudaChannelFormatKindFloat);
    One values[4] = {};
    for (int channel = 0; channel < 4; ++channel) values[channel] = static_cast<One>(texel.channel[channel]);
    T result;
    __builtin_memcpy(&result, values, sizeof(T));
    return result;
}

constexpr const char* filtered = "whole numbers have no values in between, so this call fails and makes no texture: type cudaFilterModePoint, or let"
    " bytes and shorts be read as fractions, `readMode = cudaReadModeNormalizedFloat`";
constexpr const char* no_memory = "there is no memory to make a texture or surface of, or it was freed, so this call fails: make it behind"
    " cudaMalloc or cudaMallocArray, and free behind cudaDestroyTextureObject";

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource, const cudaTextureDesc* how,
                                                         const cudaResourceViewDesc* = nullptr, LADDER_LINE) {
    if (const int refused = ladder::refusal_of_rows(*resource, line)) return ladder::status(static_cast<cudaError_t>(refused));
    ladder::Texture* const texture = ladder::texture_of(*resource);
    texture->how = *how;
    const bool whole = how->readMode == cudaReadModeElementType && texture->format.f != cudaChannelFormatKindFloat;
    const bool wrong = whole && how->filterMode == cudaFilterModeLinear;   // whole numbers have no values in between
    if (wrong || !texture->data) return delete texture, ladder::status(ladder_wrong_call(cudaErrorInvalidValue, wrong ? ladder::filtered : ladder::no_memory, line));
    texture->asked = ladder_watch_texture(how->normalizedCoords, line);
    *object = ladder::object_of(texture);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    if (ladder::is_object(object)) delete std::exchange(ladder::objects[object - 1], nullptr);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
    if (!ladder::is_object(object)) return ladder::status(cudaErrorInvalidValue);
    *resource = ladder::texture(object).resource;
    return ladder::status();
}

#define LADDER_FETCH(name, parameters, ...)                                                            \
    template <class T> LADDER_INLINE T name(cudaTextureObject_t object, LADDER_EACH parameters) {      \
        const ladder::Texture& t = ladder::texture(object);                                            \
        ladder::Footprint f;                                                                           \
        __VA_ARGS__;                                                                                   \
        return ladder::as_value<T>(t, ladder::sampled(t, f));                                             \
    }                                                                                                  \
    template <class T> LADDER_INLINE void name(T* result, cudaTextureObject_t object, LADDER_EACH parameters) { \
        const ladder::Texture& t = ladder::texture(object);                                            \
        ladder::Footprint f;                                                                           \
        __VA_ARGS__;                                                                                   \
        *result = ladder::as_value<T>(t, ladder::sampled(t, f));                                          \
    }
#define LADDER_EACH(...) __VA_ARGS__

LADDER_FETCH(tex1D, (float x), ladder::look(t, f, 0, x))
LADDER_FETCH(tex2D, (float x, float y), ladder::look(t, f, 0, x); ladder::look(t, f, 1, y))
LADDER_FETCH(tex3D, (float x, float y, float z), ladder::look(t, f, 0, x); ladder::look(t, f, 1, y); ladder::look(t, f, 2, z))
LADDER_FETCH(tex1DLayered, (float x, int layer), ladder::look(t, f, 0, x); ladder::look_at_layer(t, f, layer, 2))
LADDER_FETCH(tex2DLayered, (float x, float y, int layer), ladder::look(t, f, 0, x); ladder::look(t, f, 1, y); ladder::look_at_layer(t, f, layer, 2))
// There are no levels but the first: mipmapped arrays are refused.
LADDER_FETCH(tex1DLod, (float x, float), ladder::look(t, f, 0, x))
LADDER_FETCH(tex2DLod, (float x, float y, float), ladder::look(t, f, 0, x); ladder::look(t, f, 1, y))
LADDER_FETCH(tex3DLod, (float x, float y, float z, float), ladder::look(t, f, 0, x); ladder::look(t, f, 1, y); ladder::look(t, f, 2, z))

#undef LADDER_FETCH
#undef LADDER_EACH

// One channel of the four texels that a linear filter would weigh, from the lower left one against the clock.
template <class T> LADDER_INLINE T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0) {
    const ladder::Texture& t = ladder::texture(object);
    const ladder::Footprint f = ladder::square(t, x, y);
    ladder::Texel texel{};
    texel.channel[0] = ladder::fetch(t, f.low[0], f.high[1], 0).channel[channel];
    texel.channel[1] = ladder::fetch(t, f.high[0], f.high[1], 0).channel[channel];
    texel.channel[2] = ladder::fetch(t, f.high[0], f.low[1], 0).channel[channel];
    texel.channel[3] = ladder::fetch(t, f.low[0], f.low[1], 0).channel[channel];
    return ladder::as_value<T>(t, texel);
}

// By its number, from linear memory: neither filter nor address mode. Past either end all channels are 0.
template <class T> LADDER_INLINE T tex1Dfetch(cudaTextureObject_t object, int i) {
    const ladder::Texture& t = ladder::texture(object);
    if (!ladder::has_texel(t, i)) {
        ladder::remember_past(t, i);
        return ladder::as_value<T>(t, ladder::Texel{});
    }
    return ladder::as_value<T>(t, ladder::decoded(t, ladder::load_texel(ladder::texel_address(t, i, 0, 0), ladder::texel_bytes(t))));
}
template <class T> LADDER_INLINE void tex1Dfetch(T* result, cudaTextureObject_t object, int i) { *result = tex1Dfetch<T>(object, i); }
