// __nv_bfloat16 and __nv_bfloat162: the upper half of a float.
#pragma once

#include "small_float.h"

struct __nv_bfloat16 : ladder::SmallFloat<__nv_bfloat16, ladder::Brain16> {
    using SmallFloat::SmallFloat;
};

struct __nv_bfloat162 : ladder::SmallPair<__nv_bfloat162, __nv_bfloat16> {
    using SmallPair::SmallPair;
    LADDER_WHOLE_STORES(__nv_bfloat162)
};

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

LADDER_SMALL_CONVERSIONS(bfloat16, __nv_bfloat16, __nv_bfloat162)
