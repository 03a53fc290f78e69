// The arithmetic of NVIDIA's samples' helper_math.h on two to four floats, ints and unsigned ints, for programs that do not bring it.
#pragma once

#include "cuda_runtime.h"

typedef unsigned int uint;
typedef unsigned short ushort;

// f(component, what) for each component.
#define LADDER_2(f, what) f(x, what), f(y, what)
#define LADDER_3(f, what) LADDER_2(f, what), f(z, what)
#define LADDER_4(f, what) LADDER_3(f, what), f(w, what)

// ---- vectors of one number, of a shorter or longer vector, and of another type's ----

#define LADDER_CAST(c, T) static_cast<T>(a.c)
#define LADDER_SAME_NUMBER(c, T) s
#define LADDER_MADE(name, T, n, From) LADDER_INLINE T##n make_##name##n(From a) { return {LADDER_##n(LADDER_CAST, T)}; }
#define LADDER_VECTORS(T, From)                                                                                       \
    LADDER_INLINE T##2 make_##T##2(T s) { return {LADDER_2(LADDER_SAME_NUMBER, T)}; }                                 \
    LADDER_INLINE T##3 make_##T##3(T s) { return {LADDER_3(LADDER_SAME_NUMBER, T)}; }                                 \
    LADDER_INLINE T##4 make_##T##4(T s) { return {LADDER_4(LADDER_SAME_NUMBER, T)}; }                                 \
    LADDER_INLINE T##2 make_##T##2(T##3 a) { return {a.x, a.y}; }                                                     \
    LADDER_INLINE T##3 make_##T##3(T##2 a) { return {a.x, a.y, 0}; }                                                  \
    LADDER_INLINE T##3 make_##T##3(T##2 a, T z) { return {a.x, a.y, z}; }                                             \
    LADDER_INLINE T##3 make_##T##3(T##4 a) { return {a.x, a.y, a.z}; }                                                \
    LADDER_INLINE T##4 make_##T##4(T##3 a) { return {a.x, a.y, a.z, 0}; }                                             \
    LADDER_INLINE T##4 make_##T##4(T##3 a, T w) { return {a.x, a.y, a.z, w}; }                                        \
    LADDER_MADE(T, T, 2, From##2) LADDER_MADE(T, T, 3, From##3) LADDER_MADE(T, T, 4, From##4)
LADDER_VECTORS(float, int)
LADDER_VECTORS(int, uint)
LADDER_VECTORS(uint, int)
LADDER_MADE(float, float, 2, uint2) LADDER_MADE(float, float, 3, uint3) LADDER_MADE(float, float, 4, uint4)
LADDER_MADE(int, int, 2, float2) LADDER_MADE(int, int, 3, float3) LADDER_MADE(int, int, 4, float4)

// ---- operators: between components, and with one number ----

#define LADDER_BOTH(c, op) a.c op b.c
#define LADDER_WITH(c, op) a.c op s
#define LADDER_OPERATOR(V, T, n, op)                                                           \
    LADDER_INLINE V operator op(V a, V b) { return {LADDER_##n(LADDER_BOTH, op)}; }            \
    LADDER_INLINE V operator op(V a, T s) { return {LADDER_##n(LADDER_WITH, op)}; }            \
    LADDER_INLINE void operator op##=(V& a, V b) { a = a op b; }                               \
    LADDER_INLINE void operator op##=(V& a, T s) { a = a op s; }
#define LADDER_OPERATORS(V, T, n)                                                              \
    LADDER_OPERATOR(V, T, n, +) LADDER_OPERATOR(V, T, n, -) LADDER_OPERATOR(V, T, n, *)        \
    LADDER_INLINE V operator+(T s, V a) { return a + s; }                                      \
    LADDER_INLINE V operator*(T s, V a) { return a * s; }

// ---- functions ----

#define LADDER_NEGATIVE(c, none) -a.c
#define LADDER_CALLED_1(c, f) f(a.c)
#define LADDER_CALLED_2(c, f) f(a.c, b.c)
#define LADDER_CLAMPED(c, none) clamp(v.c, a.c, b.c)
#define LADDER_FUNCTION_1(V, n, name, f) LADDER_INLINE V name(V a) { return {LADDER_##n(LADDER_CALLED_1, f)}; }
#define LADDER_FUNCTION_2(V, n, name, f) LADDER_INLINE V name(V a, V b) { return {LADDER_##n(LADDER_CALLED_2, f)}; }
#define LADDER_SUM_2 a.x * b.x + a.y * b.y
#define LADDER_SUM_3 LADDER_SUM_2 + a.z * b.z
#define LADDER_SUM_4 LADDER_SUM_3 + a.w * b.w
#define LADDER_BETWEEN(V, T, n)                                                                \
    LADDER_INLINE T dot(V a, V b) { return LADDER_SUM_##n; }                                   \
    LADDER_INLINE V clamp(V v, V a, V b) { return {LADDER_##n(LADDER_CLAMPED, )}; }            \
    LADDER_INLINE V clamp(V v, T low, T high) { return clamp(v, make_##V(low), make_##V(high)); }
#define LADDER_WHOLE(T, n)                                                                     \
    LADDER_OPERATORS(T##n, T, n) LADDER_BETWEEN(T##n, T, n)                                    \
    LADDER_FUNCTION_2(T##n, n, min, min) LADDER_FUNCTION_2(T##n, n, max, max)
#define LADDER_SIGNED(n)                                                                       \
    LADDER_FUNCTION_1(int##n, n, abs, abs)                                                     \
    LADDER_INLINE int##n operator-(int##n a) { return {LADDER_##n(LADDER_NEGATIVE, )}; }
#define LADDER_FLOATS(V, n)                                                                    \
    LADDER_OPERATORS(V, float, n) LADDER_OPERATOR(V, float, n, /) LADDER_BETWEEN(V, float, n)  \
    LADDER_INLINE V operator/(float s, V a) { return make_##V(s) / a; }                        \
    LADDER_INLINE V operator-(V a) { return {LADDER_##n(LADDER_NEGATIVE, )}; }                 \
    LADDER_FUNCTION_1(V, n, floorf, ::floorf) LADDER_FUNCTION_1(V, n, fracf, fracf)            \
    LADDER_FUNCTION_1(V, n, fabs, ::fabsf) LADDER_FUNCTION_2(V, n, fmodf, ::fmodf)             \
    LADDER_FUNCTION_2(V, n, fminf, ::fminf) LADDER_FUNCTION_2(V, n, fmaxf, ::fmaxf)            \
    LADDER_INLINE V lerp(V a, V b, float t) { return a + t * (b - a); }                        \
    LADDER_INLINE float length(V a) { return sqrtf(dot(a, a)); }                               \
    LADDER_INLINE V normalize(V a) { return a * rsqrtf(dot(a, a)); }                           \
    LADDER_INLINE V smoothstep(V a, V b, V x) {                                                \
        const V y = clamp((x - a) / (b - a), 0.0f, 1.0f);                                      \
        return y * y * (make_##V(3.0f) - 2.0f * y);                                            \
    }

LADDER_INLINE float lerp(float a, float b, float t) { return a + t * (b - a); }
LADDER_INLINE float fracf(float a) { return a - ::floorf(a); }
LADDER_INLINE float clamp(float v, float low, float high) { return ::fmaxf(low, ::fminf(v, high)); }
LADDER_INLINE int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
LADDER_INLINE uint clamp(uint v, uint low, uint high) { return v < low ? low : v > high ? high : v; }
LADDER_INLINE float smoothstep(float a, float b, float x) {
    const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}

LADDER_WHOLE(int, 2) LADDER_WHOLE(int, 3) LADDER_WHOLE(int, 4)
LADDER_WHOLE(uint, 2) LADDER_WHOLE(uint, 3) LADDER_WHOLE(uint, 4)
LADDER_SIGNED(2) LADDER_SIGNED(3) LADDER_SIGNED(4)
LADDER_FLOATS(float2, 2) LADDER_FLOATS(float3, 3) LADDER_FLOATS(float4, 4)

LADDER_INLINE float3 cross(float3 a, float3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
LADDER_INLINE float3 reflect(float3 incident, float3 normal) { return incident - 2.0f * normal * dot(normal, incident); }

#undef LADDER_2
#undef LADDER_3
#undef LADDER_4
#undef LADDER_CAST
#undef LADDER_SAME_NUMBER
#undef LADDER_MADE
#undef LADDER_VECTORS
#undef LADDER_BOTH
#undef LADDER_WITH
#undef LADDER_OPERATOR
#undef LADDER_OPERATORS
#undef LADDER_NEGATIVE
#undef LADDER_CALLED_1
#undef LADDER_CALLED_2
#undef LADDER_CLAMPED
#undef LADDER_FUNCTION_1
#undef LADDER_FUNCTION_2
#undef LADDER_SUM_2
#undef LADDER_SUM_3
#undef LADDER_SUM_4
#undef LADDER_BETWEEN
#undef LADDER_WHOLE
#undef LADDER_SIGNED
#undef LADDER_FLOATS
