// __half and __half2: IEEE binary16.
#pragma once

#include "small_float.h"

struct __half : ladder::SmallFloat<__half, ladder::Binary16> {
    using SmallFloat::SmallFloat;
};

struct __half2 : ladder::SmallPair<__half2, __half> {
    using SmallPair::SmallPair;
    LADDER_WHOLE_STORES(__half2)
};

using half = __half;
using half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

LADDER_SMALL_CONVERSIONS(half, __half, __half2)
