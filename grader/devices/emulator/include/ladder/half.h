// __half and __half2: IEEE binary16.
#pragma once

#include "small_float.h"

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

struct __nv_bfloat16;

struct __half : ladder::SmallFloat<__half, ladder::Binary16> {
    using SmallFloat::SmallFloat;
    __half() = default;
    template <class T, LADDER_IF(ladder::assigned_by_none<T>)>
    __half& operator=(T number) = delete;
    LADDER_INLINE __half(__half_raw raw) { bits = raw.x; }
    LADDER_INLINE explicit __half(const __nv_bfloat16& x);   // bfloat16.h
    LADDER_INLINE operator __half_raw() const { return {bits}; }
};

struct __half2 : ladder::SmallPair<__half2, __half> {
    using SmallPair::SmallPair;
    __half2() = default;
    LADDER_INLINE __half2(__half2_raw raw) : SmallPair(__half(__half_raw{raw.x}), __half(__half_raw{raw.y})) {}
    LADDER_INLINE operator __half2_raw() const { return {x.bits, y.bits}; }
    LADDER_WHOLE_STORES(__half2)
};

using half = __half;
using half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

#define LADDER_ONE __half
#define LADDER_TWO __half2
#include "small_names.h"
#undef LADDER_ONE
#undef LADDER_TWO

LADDER_SMALL_CONVERSIONS(half, __half, __half2)

#undef LADDER_SIDE
#define LADDER_SIDE __device__
LADDER_SMALL_ROUNDED_TO_INTEGERS(half, __half)
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES
