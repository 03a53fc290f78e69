// What half and bfloat16 share: storage, conversions, arithmetic, comparison and functions of one value and of a pair.
//
// Every operation is done in float and rounded once, to nearest even. That is what a 16-bit unit gives: float has more
// than twice the digits of either type, so the first rounding never spoils the second (for +, -, *, / and the root).
#pragma once

#include "atomics.h"
#include "math.h"
#include "narrow.h"
#include "rounding.h"
#include "vector_types.h"
#include "warp.h"

namespace ladder {

LADDER_INLINE float saturated(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
LADDER_INLINE float at_least_zero(float x) { return x > 0 || x != x ? x : 0.0f; }
// Of two zeros -0 is the lesser one (PTX, "max" and "min").
LADDER_INLINE float larger(float a, float b) { return a == 0 && b == 0 ? a + b : __builtin_fmaxf(a, b); }
LADDER_INLINE float smaller(float a, float b) { return a == 0 && b == 0 ? -(-a - b) : __builtin_fminf(a, b); }
LADDER_INLINE float max_or_nan(float a, float b) { return a != a || b != b ? __builtin_nanf("") : larger(a, b); }
LADDER_INLINE float min_or_nan(float a, float b) { return a != a || b != b ? __builtin_nanf("") : smaller(a, b); }

// The sum, where it is not exact with an odd last bit: so it can be rounded to fewer digits as if it were.
LADDER_INLINE double sum_to_odd(double a, double b) {
    const double sum = a + b, of_b = sum - a, lost = (a - (sum - of_b)) + (b - of_b);
    const long long bits = __builtin_bit_cast(long long, sum);
    if (!(lost < 0 || lost > 0) || (bits & 1)) return sum;
    return __builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace ladder

// name, suffix, value: __hadd_sat(a, b) for one value, __hadd2_sat(a, b) for a pair.
#define LADDER_SMALL_BINARY(define)                                                                      \
    define(hadd, , a + b) define(hadd, _rn, a + b) define(hadd, _sat, ladder::saturated(a + b))          \
    define(hsub, , a - b) define(hsub, _rn, a - b) define(hsub, _sat, ladder::saturated(a - b))          \
    define(hmul, , a * b) define(hmul, _rn, a * b) define(hmul, _sat, ladder::saturated(a * b))          \
    define(hmax, , ladder::larger(a, b)) define(hmax, _nan, ladder::max_or_nan(a, b))                     \
    define(hmin, , ladder::smaller(a, b)) define(hmin, _nan, ladder::min_or_nan(a, b))

// The u forms hold if one side is a NaN, the others do not.
#define LADDER_SMALL_COMPARISONS(define)                                                                 \
    define(heq, a == b) define(hne, a < b || a > b) define(hlt, a < b) define(hle, a <= b)               \
    define(hgt, a > b) define(hge, a >= b) define(hequ, !(a < b || a > b)) define(hneu, a != b)          \
    define(hltu, !(a >= b)) define(hleu, !(a > b)) define(hgtu, !(a <= b)) define(hgeu, !(a < b))

// __hbeq2(p, q): for both halves of the pairs.
#define LADDER_SMALL_BOTH(define)                                                                        \
    define(eq) define(ne) define(lt) define(le) define(gt) define(ge)                                    \
    define(equ) define(neu) define(ltu) define(leu) define(gtu) define(geu)

// hexp(x) for one value, h2exp(x) for a pair.
#define LADDER_SMALL_FUNCTIONS(define)                                                                   \
    define(sqrt, __builtin_sqrtf(a)) define(rsqrt, rsqrtf(a)) define(rcp, 1 / a)                         \
    define(exp, __builtin_expf(a)) define(exp2, __builtin_exp2f(a)) define(exp10, __builtin_exp10f(a))   \
    define(log, __builtin_logf(a)) define(log2, __builtin_log2f(a)) define(log10, __builtin_log10f(a))   \
    define(sin, __builtin_sinf(a)) define(cos, __builtin_cosf(a)) define(tanh, __builtin_tanhf(a))       \
    define(tanh_approx, __builtin_tanhf(a)) define(ceil, __builtin_ceilf(a))                             \
    define(floor, __builtin_floorf(a)) define(trunc, __builtin_truncf(a)) define(rint, __builtin_rintf(a))

namespace ladder {

// CUDA has an operator= for each number but these: to nvcc it is not clear which one to take.
template <class T> constexpr bool assigned_by_none = std::is_same_v<T, long> || std::is_same_v<T, unsigned long>;

// One value. Functions are friends, which small_names.h gives names that anyone finds; they take values, so that nothing is
// forced into memory.
template <class Self, class F> struct SmallFloat {
    using Format = F;
    Stored bits;

    SmallFloat() = default;
    template <class T, LADDER_IF(std::is_arithmetic_v<T>)>
    LADDER_INLINE LADDER_KNOWN SmallFloat(T x) : bits(narrow<F>(static_cast<double>(x))) {}

    LADDER_INLINE LADDER_KNOWN float value() const { return widen<F>(bits); }
    LADDER_INLINE static LADDER_KNOWN Self of(float x) { return stored(narrow<F>(x)); }
    LADDER_INLINE static LADDER_KNOWN Self stored(Stored bits) {
        Self self;
        self.bits = bits;
        return self;
    }

    LADDER_INLINE LADDER_KNOWN operator float() const { return value(); }
    LADDER_INLINE LADDER_KNOWN operator bool() const { return (bits & 0x7fff) != 0; }
#define LADDER_TO(T) \
    LADDER_INLINE operator T() const { return to_integer<T>(FE_TOWARDZERO, value()); }
    LADDER_TO(char)
    LADDER_TO(signed char) LADDER_TO(unsigned char) LADDER_TO(short) LADDER_TO(unsigned short) LADDER_TO(int)
        LADDER_TO(unsigned) LADDER_TO(long) LADDER_TO(unsigned long) LADDER_TO(long long) LADDER_TO(unsigned long long)
#undef LADDER_TO

#define LADDER_DEFINE(name, suffix, expression)                        \
    friend LADDER_INLINE Self __##name##suffix(Self p, Self q) { \
        const float a = p.value(), b = q.value();                      \
        return of(expression);                                         \
    }
            LADDER_SMALL_BINARY(LADDER_DEFINE)
#undef LADDER_DEFINE
                friend LADDER_INLINE Self __hdiv(Self p, Self q) { return of(p.value() / q.value()); }

    // In double: the product is exact, and the sum is as good as exact for the one rounding that follows.
    LADDER_INLINE static double sum_of_product(Self p, Self q, Self r) {
        return sum_to_odd(static_cast<double>(p.value()) * q.value(), r.value());
    }
#undef LADDER_SIDE
#define LADDER_SIDE __device__
    friend LADDER_INLINE Self __hfma(Self p, Self q, Self r) {
        return stored(narrow<F>(sum_of_product(p, q, r)));
    }
    friend LADDER_INLINE Self __hfma_sat(Self p, Self q, Self r) {
        return of(saturated(__hfma(p, q, r).value()));
    }
    friend LADDER_INLINE Self __hfma_relu(Self p, Self q, Self r) {
        return of(at_least_zero(__hfma(p, q, r).value()));
    }
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES

#define LADDER_DEFINE(name, expression)                         \
    friend LADDER_INLINE bool __##name(Self p, Self q) {  \
        const float a = p.value(), b = q.value();         \
        return expression;                                \
    }
    LADDER_SMALL_COMPARISONS(LADDER_DEFINE)
#undef LADDER_DEFINE

#undef LADDER_SIDE
#define LADDER_SIDE __device__
#define LADDER_DEFINE(name, expression)                  \
    friend LADDER_INLINE Self h##name(Self p) {    \
        const float a = p.value();                       \
        return of(expression);                           \
    }
    LADDER_SMALL_FUNCTIONS(LADDER_DEFINE)
#undef LADDER_DEFINE
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES

    friend LADDER_INLINE Self __hneg(Self p) { return stored(p.bits ^ 0x8000); }
    friend LADDER_INLINE Self __habs(Self p) { return stored(p.bits & 0x7fff); }
    friend LADDER_INLINE bool __hisnan(Self p) { return (p.bits & 0x7fff) > infinity<F>; }
    friend LADDER_INLINE int __hisinf(Self p) { return (p.bits & 0x7fff) == infinity<F> ? 1 - (p.bits >> 15) * 2 : 0; }

    friend LADDER_INLINE Self operator+(Self p, Self q) { return __hadd(p, q); }
    friend LADDER_INLINE Self operator-(Self p, Self q) { return __hsub(p, q); }
    friend LADDER_INLINE Self operator*(Self p, Self q) { return __hmul(p, q); }
    friend LADDER_INLINE Self operator/(Self p, Self q) { return __hdiv(p, q); }
    friend LADDER_INLINE Self operator+(Self p) { return p; }
    friend LADDER_INLINE Self operator-(Self p) { return __hneg(p); }
    friend LADDER_INLINE Self& operator+=(Self& p, Self q) { return p = __hadd(p, q); }
    friend LADDER_INLINE Self& operator-=(Self& p, Self q) { return p = __hsub(p, q); }
    friend LADDER_INLINE Self& operator*=(Self& p, Self q) { return p = __hmul(p, q); }
    friend LADDER_INLINE Self& operator/=(Self& p, Self q) { return p = __hdiv(p, q); }
    friend LADDER_INLINE Self& operator++(Self& p) { return p += of(1); }
    friend LADDER_INLINE Self& operator--(Self& p) { return p -= of(1); }
    friend LADDER_INLINE Self operator++(Self& p, int) {
        const Self old = p;
        ++p;
        return old;
    }
    friend LADDER_INLINE Self operator--(Self& p, int) {
        const Self old = p;
        --p;
        return old;
    }
    friend LADDER_INLINE bool operator==(Self p, Self q) { return __heq(p, q); }
    friend LADDER_INLINE bool operator!=(Self p, Self q) { return __hneu(p, q); }
    friend LADDER_INLINE bool operator<(Self p, Self q) { return __hlt(p, q); }
    friend LADDER_INLINE bool operator<=(Self p, Self q) { return __hle(p, q); }
    friend LADDER_INLINE bool operator>(Self p, Self q) { return __hgt(p, q); }
    friend LADDER_INLINE bool operator>=(Self p, Self q) { return __hge(p, q); }
};

// Two values in one 32-bit register: x is the low half.
template <class Self, class One> struct alignas(4) SmallPair {
    using Format = typename One::Format;
    One x, y;

    SmallPair() = default;
    LADDER_INLINE LADDER_KNOWN SmallPair(One x, One y) : x(x), y(y) {}

#define LADDER_DEFINE(name, suffix, expression)                          \
    friend LADDER_INLINE Self __##name##2##suffix(Self p, Self q) {      \
        return {__##name##suffix(p.x, q.x), __##name##suffix(p.y, q.y)}; \
    }
    LADDER_SMALL_BINARY(LADDER_DEFINE)
#undef LADDER_DEFINE
    friend LADDER_INLINE Self __h2div(Self p, Self q) { return {__hdiv(p.x, q.x), __hdiv(p.y, q.y)}; }
#undef LADDER_SIDE
#define LADDER_SIDE __device__
    friend LADDER_INLINE Self __hfma2(Self p, Self q, Self r) { return {__hfma(p.x, q.x, r.x), __hfma(p.y, q.y, r.y)}; }
    friend LADDER_INLINE Self __hfma2_sat(Self p, Self q, Self r) {
        return {__hfma_sat(p.x, q.x, r.x), __hfma_sat(p.y, q.y, r.y)};
    }
    friend LADDER_INLINE Self __hfma2_relu(Self p, Self q, Self r) {
        return {__hfma_relu(p.x, q.x, r.x), __hfma_relu(p.y, q.y, r.y)};
    }
    // p * q + r, of complex numbers
    friend LADDER_INLINE Self __hcmadd(Self p, Self q, Self r) {
        return {__hfma(-p.y, q.y, __hfma(p.x, q.x, r.x)), __hfma(p.y, q.x, __hfma(p.x, q.y, r.y))};
    }
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES

    // Of each half: as 1 or 0, as a mask of 16 bits, and whether it holds for both.
#define LADDER_DEFINE(name, expression)                                             \
    friend LADDER_INLINE Self __##name##2(Self p, Self q) {                         \
        return {One(__##name(p.x, q.x)), One(__##name(p.y, q.y))};                  \
    }                                                                               \
    friend LADDER_INLINE unsigned __##name##2_mask(Self p, Self q) {                \
        return __##name(p.x, q.x) * 0x0000ffffu | __##name(p.y, q.y) * 0xffff0000u; \
    }
    LADDER_SMALL_COMPARISONS(LADDER_DEFINE)
#undef LADDER_DEFINE
#define LADDER_BOTH(name) \
    friend LADDER_INLINE bool __hb##name##2(Self p, Self q) { return __h##name(p.x, q.x) & __h##name(p.y, q.y); }
    LADDER_SMALL_BOTH(LADDER_BOTH)
#undef LADDER_BOTH

#undef LADDER_SIDE
#define LADDER_SIDE __device__
#define LADDER_DEFINE(name, expression) \
    friend LADDER_INLINE Self h2##name(Self p) { return {h##name(p.x), h##name(p.y)}; }
    LADDER_SMALL_FUNCTIONS(LADDER_DEFINE)
#undef LADDER_DEFINE
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES

    friend LADDER_INLINE Self __hneg2(Self p) { return {__hneg(p.x), __hneg(p.y)}; }
    friend LADDER_INLINE Self __habs2(Self p) { return {__habs(p.x), __habs(p.y)}; }
    friend LADDER_INLINE Self __hisnan2(Self p) { return {One(__hisnan(p.x)), One(__hisnan(p.y))}; }

    friend LADDER_INLINE float __low2float(Self p) { return p.x.value(); }
    friend LADDER_INLINE float __high2float(Self p) { return p.y.value(); }
    friend LADDER_INLINE Self __lowhigh2highlow(Self p) { return {p.y, p.x}; }

    friend LADDER_INLINE Self operator+(Self p, Self q) { return __hadd2(p, q); }
    friend LADDER_INLINE Self operator-(Self p, Self q) { return __hsub2(p, q); }
    friend LADDER_INLINE Self operator*(Self p, Self q) { return __hmul2(p, q); }
    friend LADDER_INLINE Self operator/(Self p, Self q) { return __h2div(p, q); }
    friend LADDER_INLINE Self operator+(Self p) { return p; }
    friend LADDER_INLINE Self operator-(Self p) { return __hneg2(p); }
    friend LADDER_INLINE Self& operator+=(Self& p, Self q) { return p = __hadd2(p, q); }
    friend LADDER_INLINE Self& operator-=(Self& p, Self q) { return p = __hsub2(p, q); }
    friend LADDER_INLINE Self& operator*=(Self& p, Self q) { return p = __hmul2(p, q); }
    friend LADDER_INLINE Self& operator/=(Self& p, Self q) { return p = __h2div(p, q); }
    friend LADDER_INLINE bool operator==(Self p, Self q) { return __hbeq2(p, q); }
    friend LADDER_INLINE bool operator!=(Self p, Self q) { return __hbneu2(p, q); }
    friend LADDER_INLINE bool operator<(Self p, Self q) { return __hblt2(p, q); }
    friend LADDER_INLINE bool operator<=(Self p, Self q) { return __hble2(p, q); }
    friend LADDER_INLINE bool operator>(Self p, Self q) { return __hbgt2(p, q); }
    friend LADDER_INLINE bool operator>=(Self p, Self q) { return __hbge2(p, q); }
};

template <class T, class = void> constexpr bool small = false;
template <class T>
constexpr bool small<T, std::void_t<typename T::Format>> =
    same<typename T::Format, Binary16> || same<typename T::Format, Brain16>;

}  // namespace ladder

// ---- shuffles and atomics of one value and of a pair ----

template <class T, LADDER_IF(ladder::small<T>)>
LADDER_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize, LADDER_LINE) {
    return ladder::shuffle(ladder::Warp::ShuffleIndex, mask, value, lane, width, line);
}
template <class T, LADDER_IF(ladder::small<T>)>
LADDER_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                               LADDER_LINE) {
    return ladder::shuffle(ladder::Warp::ShuffleUp, mask, value, static_cast<int>(delta), width, line);
}
template <class T, LADDER_IF(ladder::small<T>)>
LADDER_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                                 LADDER_LINE) {
    return ladder::shuffle(ladder::Warp::ShuffleDown, mask, value, static_cast<int>(delta), width, line);
}
template <class T, LADDER_IF(ladder::small<T>)>
LADDER_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                                LADDER_LINE) {
    return ladder::shuffle(ladder::Warp::ShuffleXor, mask, value, lane_mask, width, line);
}

template <class T, LADDER_IF(ladder::small<T>)>
LADDER_INLINE T atomicAdd(T* address, typename ladder::Exactly<T>::type value, LADDER_LINE) {
    constexpr ladder::Type type = sizeof(T) == 2 ? T::Format::single : T::Format::pair;
    return ladder::from_bits<T>(
        ladder_atomic(ladder::Atomic::Add, type, ladder::Scope::Device, address, ladder::to_bits(value), 0, line));
}

// ---- conversions that carry the type's name in theirs ----

#define LADDER_SMALL_INTEGER(name, type, integer, Integer, suffix, mode)                               \
    LADDER_INLINE type __##integer##2##name##_##suffix(Integer x) {                                    \
        return type::stored(ladder::narrow<type::Format>(static_cast<double>(x), mode));               \
    }

#define LADDER_SMALL_ROUNDED(name, type, suffix, mode)                                                 \
    LADDER_INLINE type __float2##name##_##suffix(float x) {                                            \
        return type::stored(ladder::narrow<type::Format>(x, mode));                                    \
    }                                                                                                  \
    LADDER_SMALL_INTEGER(name, type, int, int, suffix, mode)                                           \
    LADDER_SMALL_INTEGER(name, type, uint, unsigned, suffix, mode)                                     \
    LADDER_SMALL_INTEGER(name, type, short, short, suffix, mode)                                       \
    LADDER_SMALL_INTEGER(name, type, ushort, unsigned short, suffix, mode)                             \
    LADDER_SMALL_INTEGER(name, type, ll, long long, suffix, mode)                                      \
    LADDER_SMALL_INTEGER(name, type, ull, unsigned long long, suffix, mode)

#define LADDER_SMALL_TO_INTEGER(name, type, integer, Integer, suffix, mode)                            \
    LADDER_INLINE Integer __##name##2##integer##_##suffix(type x) {                                    \
        return ladder::to_integer<Integer>(mode, x.value());                                           \
    }

// To zero on both sides, and in the other modes on the device alone.
#define LADDER_SMALL_TO_INTEGERS(name, type, suffix, mode)                                             \
    LADDER_SMALL_TO_INTEGER(name, type, int, int, suffix, mode)                                        \
    LADDER_SMALL_TO_INTEGER(name, type, uint, unsigned, suffix, mode)                                  \
    LADDER_SMALL_TO_INTEGER(name, type, short, short, suffix, mode)                                    \
    LADDER_SMALL_TO_INTEGER(name, type, ushort, unsigned short, suffix, mode)                          \
    LADDER_SMALL_TO_INTEGER(name, type, ll, long long, suffix, mode)                                   \
    LADDER_SMALL_TO_INTEGER(name, type, ull, unsigned long long, suffix, mode)

#define LADDER_SMALL_ROUNDED_TO_INTEGERS(name, type)                                                   \
    LADDER_SMALL_TO_INTEGERS(name, type, rn, FE_TONEAREST)                                             \
    LADDER_SMALL_TO_INTEGERS(name, type, ru, FE_UPWARD)                                                \
    LADDER_SMALL_TO_INTEGERS(name, type, rd, FE_DOWNWARD)

#define LADDER_SMALL_CONVERSIONS(name, type, pair)                                                     \
    LADDER_SMALL_ROUNDED(name, type, rn, FE_TONEAREST)                                                 \
    LADDER_SMALL_ROUNDED(name, type, rz, FE_TOWARDZERO)                                                \
    LADDER_SMALL_ROUNDED(name, type, ru, FE_UPWARD)                                                    \
    LADDER_SMALL_ROUNDED(name, type, rd, FE_DOWNWARD)                                                  \
    LADDER_SMALL_TO_INTEGERS(name, type, rz, FE_TOWARDZERO)                                            \
    LADDER_SMALL_TO_INTEGER(name, type, char, signed char, rz, FE_TOWARDZERO)                          \
    LADDER_SMALL_TO_INTEGER(name, type, uchar, unsigned char, rz, FE_TOWARDZERO)                       \
    LADDER_INLINE type __float2##name(float x) { return type(x); }                                     \
    LADDER_INLINE type __double2##name(double x) { return type(x); }                                   \
    LADDER_INLINE float __##name##2float(type x) { return x.value(); }                                 \
    LADDER_INLINE pair __float2##name##2_rn(float x) { return {type(x), type(x)}; }                    \
    LADDER_INLINE pair __floats2##name##2_rn(float x, float y) { return {type(x), type(y)}; }          \
    LADDER_INLINE pair __float22##name##2_rn(float2 v) { return {type(v.x), type(v.y)}; }              \
    LADDER_INLINE float2 __##name##22float2(pair p) { return {p.x.value(), p.y.value()}; }             \
    LADDER_INLINE pair __##name##2##name##2(type x) { return {x, x}; }                                 \
    LADDER_INLINE pair __halves2##name##2(type x, type y) { return {x, y}; }                           \
    LADDER_INLINE pair make_##name##2(type x, type y) { return {x, y}; }                               \
    LADDER_INLINE type __low2##name(pair p) { return p.x; }                                            \
    LADDER_INLINE type __high2##name(pair p) { return p.y; }                                           \
    LADDER_INLINE pair __low2##name##2(pair p) { return {p.x, p.x}; }                                  \
    LADDER_INLINE pair __high2##name##2(pair p) { return {p.y, p.y}; }                                 \
    LADDER_INLINE pair __lows2##name##2(pair p, pair q) { return {p.x, q.x}; }                         \
    LADDER_INLINE pair __highs2##name##2(pair p, pair q) { return {p.y, q.y}; }                        \
    LADDER_INLINE unsigned short __##name##_as_ushort(type x) { return x.bits; }                       \
    LADDER_INLINE short __##name##_as_short(type x) { return static_cast<short>(x.bits); }             \
    LADDER_INLINE type __ushort_as_##name(unsigned short bits) { return type::stored(bits); }          \
    LADDER_INLINE type __short_as_##name(short bits) { return type::stored(static_cast<unsigned short>(bits)); }
