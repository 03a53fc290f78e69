// Complex numbers as pairs.
#pragma once

#include "cuda_runtime.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

#define LADDER_COMPLEX(suffix, Pair, Real, root)                                                                                     \
    LADDER_INLINE Real cuCreal##suffix(Pair a) { return a.x; }                                                                       \
    LADDER_INLINE Real cuCimag##suffix(Pair a) { return a.y; }                                                                       \
    LADDER_INLINE Pair cuConj##suffix(Pair a) { return {a.x, -a.y}; }                                                                \
    LADDER_INLINE Pair cuCadd##suffix(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }                                             \
    LADDER_INLINE Pair cuCsub##suffix(Pair a, Pair b) { return {a.x - b.x, a.y - b.y}; }                                             \
    LADDER_INLINE Pair cuCmul##suffix(Pair a, Pair b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }                     \
    LADDER_INLINE Pair cuCdiv##suffix(Pair a, Pair b) {                                                                              \
        const Real scale = 1 / (root(b.x * b.x + b.y * b.y) * root(b.x * b.x + b.y * b.y));                                          \
        return {(a.x * b.x + a.y * b.y) * scale, (a.y * b.x - a.x * b.y) * scale};                                                   \
    }                                                                                                                                \
    LADDER_INLINE Pair cuCfma##suffix(Pair a, Pair b, Pair c) { return cuCadd##suffix(cuCmul##suffix(a, b), c); }
LADDER_COMPLEX(f, float2, float, __builtin_sqrtf)
LADDER_COMPLEX(, double2, double, __builtin_sqrt)
#undef LADDER_COMPLEX
LADDER_INLINE float cuCabsf(float2 a) { return hypotf(a.x, a.y); }
LADDER_INLINE double cuCabs(double2 a) { return hypot(a.x, a.y); }
LADDER_INLINE float2 make_cuFloatComplex(float x, float y) { return {x, y}; }
LADDER_INLINE double2 make_cuDoubleComplex(double x, double y) { return {x, y}; }
LADDER_INLINE float2 make_cuComplex(float x, float y) { return {x, y}; }
LADDER_INLINE float2 cuComplexDoubleToFloat(double2 a) { return {static_cast<float>(a.x), static_cast<float>(a.y)}; }
LADDER_INLINE double2 cuComplexFloatToDouble(float2 a) { return {a.x, a.y}; }
