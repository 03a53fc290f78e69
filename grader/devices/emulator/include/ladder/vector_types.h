// char1 ... double4 and dim3: aggregates of CUDA's sizes and alignments, and make_char1 ... make_double4.
#pragma once

#include "qualifiers.h"

namespace ladder {

template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
template <class A> constexpr bool same<const A, A> = true;

// Registers of the widths that one load or store instruction moves.
template <unsigned bytes> struct Word;
template <> struct Word<2> { typedef unsigned short type __attribute__((may_alias)); };
template <> struct Word<4> { typedef unsigned type __attribute__((may_alias)); };
template <> struct Word<8> { typedef unsigned long long type __attribute__((may_alias)); };
template <> struct Word<16> { typedef unsigned type __attribute__((may_alias, vector_size(16), aligned(8))); };   // as in a packed structure

template <class V> LADDER_INLINE constexpr V& store_whole(V& to, const V& from) {
    if (__builtin_is_constant_evaluated()) return to = from;
    constexpr unsigned bytes = sizeof(V) < 16 ? sizeof(V) : 16;   // 32-byte vectors take two instructions
    using Words = typename Word<bytes>::type;
    for (unsigned i = 0; i < sizeof(V) / bytes; ++i)
        reinterpret_cast<Words*>(&to)[i] = reinterpret_cast<const Words*>(&from)[i];
    return to;
}

}  // namespace ladder

// g++ stores `p[i] = float4{a, b, c, d}` as four floats where a GPU stores 16 bytes at once. An assignment operator
// could mend that, but a type with one of its own cannot be assigned as the member of a union. A template is no
// "assignment operator" to the language, and still wins for temporaries: the type stays trivial, an aggregate, and
// stores are whole. They are seen, too: -fsanitize=thread overlooks the store of `p[i] = f(x)` where f is called and
// returns a struct in registers.
#define LADDER_WHOLE_STORES(type)                                                                            \
    type& operator=(const type&) = default;                                                                  \
    template <class From = type, LADDER_IF(ladder::same<From, type>)>                                          \
    LADDER_INLINE constexpr type& operator=(From&& from) { return ladder::store_whole(*this, from); }

#define LADDER_VECTORS(name, type)                                                                           \
    struct name##1 { type x; };                                                                              \
    struct alignas(2 * sizeof(type)) name##2 { type x, y; LADDER_WHOLE_STORES(name##2) };                    \
    struct name##3 { type x, y, z; };                                                                        \
    struct alignas(sizeof(type) < 4 ? 4 * sizeof(type) : 16) name##4 {                                       \
        type x, y, z, w;                                                                                     \
        LADDER_WHOLE_STORES(name##4)                                                                         \
    };                                                                                                       \
    LADDER_INLINE LADDER_KNOWN name##1 make_##name##1(type x) { return {x}; }                                   \
    LADDER_INLINE LADDER_KNOWN name##2 make_##name##2(type x, type y) { return {x, y}; }                        \
    LADDER_INLINE LADDER_KNOWN name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }             \
    LADDER_INLINE LADDER_KNOWN name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

LADDER_VECTORS(char, signed char)
LADDER_VECTORS(uchar, unsigned char)
LADDER_VECTORS(short, short)
LADDER_VECTORS(ushort, unsigned short)
LADDER_VECTORS(int, int)
LADDER_VECTORS(uint, unsigned)
LADDER_VECTORS(long, long)
LADDER_VECTORS(ulong, unsigned long)
LADDER_VECTORS(longlong, long long)
LADDER_VECTORS(ulonglong, unsigned long long)
LADDER_VECTORS(float, float)
LADDER_VECTORS(double, double)

#undef LADDER_VECTORS

// CUDA 13's: fours of 8 bytes that say how they are aligned.
#define LADDER_ALIGNED_FOURS(name, type, bytes)                                                                       \
    struct alignas(bytes) name##4_##bytes##a {                                                                        \
        type x, y, z, w;                                                                                              \
        LADDER_WHOLE_STORES(name##4_##bytes##a)                                                                       \
    };                                                                                                                \
    LADDER_INLINE LADDER_KNOWN name##4_##bytes##a make_##name##4_##bytes##a(type x, type y, type z, type w) {         \
        return {x, y, z, w};                                                                                          \
    }
#define LADDER_FOURS_OF_8(bytes)                                                                              \
    LADDER_ALIGNED_FOURS(long, long, bytes) LADDER_ALIGNED_FOURS(ulong, unsigned long, bytes)                 \
    LADDER_ALIGNED_FOURS(longlong, long long, bytes) LADDER_ALIGNED_FOURS(ulonglong, unsigned long long, bytes) \
    LADDER_ALIGNED_FOURS(double, double, bytes)

LADDER_FOURS_OF_8(16)
LADDER_FOURS_OF_8(32)

#undef LADDER_FOURS_OF_8
#undef LADDER_ALIGNED_FOURS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
