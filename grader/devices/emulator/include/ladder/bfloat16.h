// __nv_bfloat16 and __nv_bfloat162: the upper half of a float.
#pragma once

#include "half.h"

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

struct __nv_bfloat16 : ladder::SmallFloat<__nv_bfloat16, ladder::Brain16> {
    using SmallFloat::SmallFloat;
    __nv_bfloat16() = default;
    template <class T, LADDER_IF(ladder::assigned_by_none<T>)>
    __nv_bfloat16& operator=(T number) = delete;
    LADDER_INLINE __nv_bfloat16(__nv_bfloat16_raw raw) { bits = raw.x; }
    LADDER_INLINE explicit __nv_bfloat16(const __half& x) : SmallFloat(x.value()) {}
    LADDER_INLINE operator __nv_bfloat16_raw() const { return {bits}; }
};
LADDER_INLINE __half::__half(const __nv_bfloat16& x) : SmallFloat(x.value()) {}

struct __nv_bfloat162 : ladder::SmallPair<__nv_bfloat162, __nv_bfloat16> {
    using SmallPair::SmallPair;
    __nv_bfloat162() = default;
    LADDER_INLINE __nv_bfloat162(__nv_bfloat162_raw raw) : SmallPair(__nv_bfloat16(__nv_bfloat16_raw{raw.x}), __nv_bfloat16(__nv_bfloat16_raw{raw.y})) {}
    LADDER_INLINE operator __nv_bfloat162_raw() const { return {x.bits, y.bits}; }
    LADDER_WHOLE_STORES(__nv_bfloat162)
};

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define LADDER_ONE __nv_bfloat16
#define LADDER_TWO __nv_bfloat162
#include "small_names.h"
#undef LADDER_ONE
#undef LADDER_TWO

LADDER_SMALL_CONVERSIONS(bfloat16, __nv_bfloat16, __nv_bfloat162)

#undef LADDER_SIDE
#define LADDER_SIDE __device__
LADDER_SMALL_ROUNDED_TO_INTEGERS(bfloat16, __nv_bfloat16)
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES
