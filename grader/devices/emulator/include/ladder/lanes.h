// Several small integers in one register (CUDA's SIMD intrinsics), and the sums, maxima and minima of dynamic programming
// (DPX). Only a text with one of their names has this header (first_lines.py): to g++ they are a sixth of all others.
#pragma once

#include "integer.h"

#undef LADDER_SIDE
#define LADDER_SIDE __device__

// An expression of the lanes a and b, of type T, of two registers. No template, nor a lambda: g++ would make them anew for
// every file.
#define LADDER_BY_LANE(name, T, expression)                                               \
    inline LADDER_UNSEEN unsigned name(unsigned x, unsigned y) {                          \
        constexpr int bits = 8 * sizeof(T);                                               \
        unsigned result = 0;                                                              \
        for (int at = 0; at < 32; at += bits) {                                           \
            const int a = static_cast<T>(x >> at), b = static_cast<T>(y >> at);           \
            result |= (static_cast<unsigned>(expression) & ((1u << bits) - 1)) << at;     \
        }                                                                                 \
        return result;                                                                    \
    }
// Whether an expression is true of each lane: all bits, or one.
#define LADDER_COMPARED(name, T, expression)                  \
    LADDER_BY_LANE(__vcmp##name, T, expression ? -1 : 0)      \
    LADDER_BY_LANE(__vset##name, T, expression)
#define LADDER_CLAMPED(value, least, most) (value) < (least) ? (least) : (value) > (most) ? (most) : (value)
#define LADDER_BY_LANES(suffix, S, U, least, most)                                 \
    LADDER_BY_LANE(__vadd##suffix, U, a + b)                                       \
    LADDER_BY_LANE(__vsub##suffix, U, a - b)                                       \
    LADDER_BY_LANE(__vaddss##suffix, S, LADDER_CLAMPED(a + b, least, most))        \
    LADDER_BY_LANE(__vsubss##suffix, S, LADDER_CLAMPED(a - b, least, most))        \
    LADDER_BY_LANE(__vaddus##suffix, U, LADDER_CLAMPED(a + b, 0, most - least))    \
    LADDER_BY_LANE(__vsubus##suffix, U, LADDER_CLAMPED(a - b, 0, most - least))    \
    LADDER_BY_LANE(__vmaxs##suffix, S, a > b ? a : b)                              \
    LADDER_BY_LANE(__vmaxu##suffix, U, a > b ? a : b)                              \
    LADDER_BY_LANE(__vmins##suffix, S, a < b ? a : b)                              \
    LADDER_BY_LANE(__vminu##suffix, U, a < b ? a : b)                              \
    LADDER_BY_LANE(__vabsdiffu##suffix, U, a > b ? a - b : b - a)                  \
    LADDER_BY_LANE(__vabsdiffs##suffix, S, a > b ? a - b : b - a)                  \
    LADDER_BY_LANE(__vavgs##suffix, S, (a + b + (a + b >= 0)) >> 1)                \
    LADDER_BY_LANE(__vavgu##suffix, U, (a + b + 1) >> 1)                           \
    LADDER_BY_LANE(__vhaddu##suffix, U, (a + b) >> 1)                              \
    LADDER_COMPARED(eq##suffix, U, a == b)                                         \
    LADDER_COMPARED(ne##suffix, U, a != b)                                         \
    LADDER_COMPARED(gts##suffix, S, a > b)                                         \
    LADDER_COMPARED(gtu##suffix, U, a > b)                                         \
    LADDER_COMPARED(ges##suffix, S, a >= b)                                        \
    LADDER_COMPARED(geu##suffix, U, a >= b)                                        \
    LADDER_COMPARED(lts##suffix, S, a < b)                                         \
    LADDER_COMPARED(ltu##suffix, U, a < b)                                         \
    LADDER_COMPARED(les##suffix, S, a <= b)                                        \
    LADDER_COMPARED(leu##suffix, U, a <= b)                                        \
    LADDER_INLINE unsigned __vneg##suffix(unsigned x) { return __vsub##suffix(0, x); }         \
    LADDER_INLINE unsigned __vnegss##suffix(unsigned x) { return __vsubss##suffix(0, x); }     \
    LADDER_INLINE unsigned __vabs##suffix(unsigned x) { return __vabsdiffs##suffix(x, 0); }    \
    LADDER_INLINE unsigned __vabsss##suffix(unsigned x) { return __vmaxs##suffix(x, __vnegss##suffix(x)); }

LADDER_BY_LANES(2, short, unsigned short, -32768, 32767)
LADDER_BY_LANES(4, signed char, unsigned char, -128, 127)

// Sums of distances: those of two lanes each are at most 65535.
LADDER_INLINE unsigned ladder_lanes2(unsigned x) { return (x & 0xffff) + (x >> 16); }
LADDER_INLINE unsigned ladder_lanes4(unsigned x) { return ladder_lanes2((x & 0xff00ff) + (x >> 8 & 0xff00ff)); }
LADDER_INLINE unsigned __vsads2(unsigned x, unsigned y) { return ladder_lanes2(__vabsdiffs2(x, y)); }
LADDER_INLINE unsigned __vsadu2(unsigned x, unsigned y) { return ladder_lanes2(__vabsdiffu2(x, y)); }
LADDER_INLINE unsigned __vsads4(unsigned x, unsigned y) { return ladder_lanes4(__vabsdiffs4(x, y)); }
LADDER_INLINE unsigned __vsadu4(unsigned x, unsigned y) { return ladder_lanes4(__vabsdiffu4(x, y)); }

// ---- dynamic programming: on both sides, of a number or of two lanes of 16 bits; a sum that overflows wraps ----

#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES

namespace ladder {

inline LADDER_UNSEEN unsigned two_lanes(int high, int low) {
    return static_cast<unsigned>(high) << 16 | (static_cast<unsigned>(low) & 0xffff);
}

}  // namespace ladder

// A number's type T, and that of a lane, L. `better` is what a maximum or minimum asks for.
#define LADDER_CHOICE(better, T, L, max, number, lanes)                                                                \
    namespace ladder {                                                                                                 \
    inline LADDER_UNSEEN T max##_##number(T a, T b) { return a better b ? a : b; }                                     \
    inline LADDER_UNSEEN unsigned max##_##lanes(unsigned a, unsigned b) {                                              \
        return two_lanes(max##_##number(static_cast<L>(a >> 16), static_cast<L>(b >> 16)),                             \
                         max##_##number(static_cast<L>(a), static_cast<L>(b)));                                        \
    }                                                                                                                  \
    }                                                                                                                  \
    LADDER_INLINE T __vi##max##3_##number(T a, T b, T c) {                                                             \
        return ladder::max##_##number(ladder::max##_##number(a, b), c);                                                \
    }                                                                                                                  \
    LADDER_INLINE unsigned __vi##max##3_##lanes(unsigned a, unsigned b, unsigned c) {                                  \
        return ladder::max##_##lanes(ladder::max##_##lanes(a, b), c);                                                  \
    }                                                                                                                  \
    LADDER_INLINE T __viadd##max##_##number(T a, T b, T c) {                                                           \
        return ladder::max##_##number(static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)), c);         \
    }                                                                                                                  \
    LADDER_INLINE unsigned __viadd##max##_##lanes(unsigned a, unsigned b, unsigned c) {                                \
        return ladder::max##_##lanes(((a & 0xffff0000) + b & 0xffff0000) | (a + b & 0xffff), c);                       \
    }                                                                                                                  \
    LADDER_INLINE T __vib##max##_##number(T a, T b, bool* is_first) {                                                  \
        *is_first = a better b;                                                                                        \
        return ladder::max##_##number(a, b);                                                                           \
    }                                                                                                                  \
    LADDER_INLINE unsigned __vib##max##_##lanes(unsigned a, unsigned b, bool* high, bool* low) {                       \
        *high = static_cast<L>(a >> 16) better static_cast<L>(b >> 16);                                                \
        *low = static_cast<L>(a) better static_cast<L>(b);                                                             \
        return ladder::max##_##lanes(a, b);                                                                            \
    }
// The same, and zero where that is negative.
#define LADDER_NOT_NEGATIVE(max)                                                                                       \
    LADDER_INLINE int __vi##max##_s32_relu(int a, int b) { return ladder::max_s32(ladder::max##_s32(a, b), 0); }       \
    LADDER_INLINE unsigned __vi##max##_s16x2_relu(unsigned a, unsigned b) {                                            \
        return ladder::max_s16x2(ladder::max##_s16x2(a, b), 0);                                                        \
    }                                                                                                                  \
    LADDER_INLINE int __vi##max##3_s32_relu(int a, int b, int c) {                                                     \
        return ladder::max_s32(__vi##max##3_s32(a, b, c), 0);                                                          \
    }                                                                                                                  \
    LADDER_INLINE unsigned __vi##max##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {                               \
        return ladder::max_s16x2(__vi##max##3_s16x2(a, b, c), 0);                                                      \
    }                                                                                                                  \
    LADDER_INLINE int __viadd##max##_s32_relu(int a, int b, int c) {                                                   \
        return ladder::max_s32(__viadd##max##_s32(a, b, c), 0);                                                        \
    }                                                                                                                  \
    LADDER_INLINE unsigned __viadd##max##_s16x2_relu(unsigned a, unsigned b, unsigned c) {                             \
        return ladder::max_s16x2(__viadd##max##_s16x2(a, b, c), 0);                                                    \
    }

LADDER_CHOICE(>=, int, short, max, s32, s16x2)
LADDER_CHOICE(>=, unsigned, unsigned short, max, u32, u16x2)
LADDER_CHOICE(<=, int, short, min, s32, s16x2)
LADDER_CHOICE(<=, unsigned, unsigned short, min, u32, u16x2)
LADDER_NOT_NEGATIVE(max)
LADDER_NOT_NEGATIVE(min)

#undef LADDER_NOT_NEGATIVE
#undef LADDER_CHOICE
#undef LADDER_BY_LANES
#undef LADDER_CLAMPED
#undef LADDER_COMPARED
#undef LADDER_BY_LANE
