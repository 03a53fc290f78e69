// __nv_bfloat16 and __nv_bfloat162: the upper half of a float.
#pragma once

#include "small_float.h"

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

struct __nv_bfloat16 : ladder::SmallFloat<__nv_bfloat16, ladder::Brain16> {
    using SmallFloat::SmallFloat;
    __nv_bfloat16() = default;
    LADDER_INLINE __nv_bfloat16(__nv_bfloat16_raw raw) { bits = raw.x; }
    LADDER_INLINE operator __nv_bfloat16_raw() const { return {bits}; }
};

struct __nv_bfloat162 : ladder::SmallPair<__nv_bfloat162, __nv_bfloat16> {
    using SmallPair::SmallPair;
    __nv_bfloat162() = default;
    LADDER_INLINE __nv_bfloat162(__nv_bfloat162_raw raw) : SmallPair(__nv_bfloat16(__nv_bfloat16_raw{raw.x}), __nv_bfloat16(__nv_bfloat16_raw{raw.y})) {}
    LADDER_INLINE operator __nv_bfloat162_raw() const { return {x.bits, y.bits}; }
    LADDER_WHOLE_STORES(__nv_bfloat162)
};

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

LADDER_SMALL_CONVERSIONS(bfloat16, __nv_bfloat16, __nv_bfloat162)

#undef LADDER_SIDE
#define LADDER_SIDE __device__
LADDER_SMALL_ROUNDED_TO_INTEGERS(bfloat16, __nv_bfloat16)
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES
