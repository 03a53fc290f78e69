// The C library's functions that move bytes, where device code may call them. g++ would write them out in place, and then no
// callback would see their loads and stores: here they are copies of structs of bytes, which it announces, or calls of the
// runtime. And functions of mathematics that give something back through an address.
#pragma once

#include "qualifiers.h"
#include "standard.h"

#ifndef __CUDA__

namespace ladder {

// By no function that is a template: g++ would make each of its sizes anew for every file.
template <std::size_t N> struct __attribute__((packed, may_alias)) Bytes { unsigned char bytes[N]; };

}  // namespace ladder

#define LADDER_SIZES(what)                                                                                          \
    what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) what(11) what(12) what(13)     \
    what(14) what(15) what(16) what(20) what(24) what(28) what(32) what(36) what(40) what(44) what(48) what(52)     \
    what(56) what(60) what(64) what(80) what(96) what(112) what(128) what(256)

extern "C" {
__attribute__((gnu_inline)) LADDER_INLINE void* memcpy(void* __restrict to, const void* __restrict from, std::size_t bytes) noexcept {
#define LADDER_SIZE(size)                                                                               \
    case size:                                                                                          \
        *static_cast<ladder::Bytes<size>*>(to) = *static_cast<const ladder::Bytes<size>*>(from);        \
        return to;
    if (__builtin_constant_p(bytes)) switch (bytes) { LADDER_SIZES(LADDER_SIZE) }
#undef LADDER_SIZE
    return ladder_copy_bytes(to, from, bytes);
}

__attribute__((gnu_inline)) LADDER_INLINE void* memmove(void* to, const void* from, std::size_t bytes) noexcept {
    return ladder_copy_bytes(to, from, bytes);
}

__attribute__((gnu_inline)) LADDER_INLINE void* memset(void* to, int value, std::size_t bytes) noexcept {
#define LADDER_SIZE(size) case size: return *static_cast<ladder::Bytes<size>*>(to) = ladder::Bytes<size>{}, to;
    if (__builtin_constant_p(bytes) && __builtin_constant_p(value) && value == 0) switch (bytes) { LADDER_SIZES(LADDER_SIZE) }
#undef LADDER_SIZE
    return ladder_set_bytes(to, value, bytes);
}

#define LADDER_GIVES_BACK(type, name, parameters, given, arguments)             \
    __attribute__((gnu_inline)) LADDER_INLINE type name parameters noexcept {   \
        given found;                                                            \
        const type result = __builtin_##name arguments;                         \
        *to = found;                                                            \
        return result;                                                          \
    }
LADDER_GIVES_BACK(float, frexpf, (float x, int* to), int, (x, &found))
LADDER_GIVES_BACK(double, frexp, (double x, int* to), int, (x, &found))
LADDER_GIVES_BACK(float, modff, (float x, float* to), float, (x, &found))
LADDER_GIVES_BACK(double, modf, (double x, double* to), double, (x, &found))
LADDER_GIVES_BACK(float, remquof, (float x, float y, int* to), int, (x, y, &found))
LADDER_GIVES_BACK(double, remquo, (double x, double y, int* to), int, (x, y, &found))
#undef LADDER_GIVES_BACK
}

#undef LADDER_SIZES
#endif
