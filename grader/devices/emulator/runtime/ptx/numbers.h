// Floating-point numbers of 16 bits, rounding and flushing, for the instructions that compute.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>

#include "../../include/ladder/narrow.h"
#include "../../include/ladder/rounding.h"
#include "lane.h"

namespace ladder::ptx {

inline bool is_narrow(Type type) { return type.bits == 16 && (type.kind == Kind::Float || type.kind == Kind::Brain); }

inline float widened(Kind kind, std::uint16_t bits) { return kind == Kind::Brain ? widen<Brain16>(bits) : widen<Binary16>(bits); }
inline std::uint16_t narrowed(Kind kind, double value, int mode = FE_TONEAREST) {
    return kind == Kind::Brain ? narrow<Brain16>(value, mode) : narrow<Binary16>(value, mode);
}

template <class T> T flushed(T value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value; }

// What a GPU gives for a float that is no number.
template <class T> T canonical(T value) {
    if constexpr (sizeof(T) == 4) return value == value ? value : std::bit_cast<float>(0x7fffffffu);
    else return value;
}
inline double positive(double value) { return value <= 0 ? 0 : value; }   // .relu: -0 becomes +0, what is no number stays

// Between 0 and 1; 0 for what is no number.
template <class T> T saturated(T value) { return !(value > 0) ? T{0} : value > 1 ? T{1} : value; }

// .rn .rz .rm .rp, in this order
inline int mode_of(int rounding) {
    switch (rounding) {
        case 1: return FE_TOWARDZERO;
        case 2: return FE_DOWNWARD;
        case 3: return FE_UPWARD;
        default: return FE_TONEAREST;
    }
}

// One or two numbers of 16 bits: f(a, b, c) in double, rounded once.
template <class F> std::uint32_t each_narrow(const Instruction& at, std::uint32_t a, std::uint32_t b, std::uint32_t c, F f) {
    std::uint32_t result = 0;
    const std::uint16_t exponent = at.type.kind == Kind::Brain ? infinity<Brain16> : infinity<Binary16>;   // all its bits
    const auto kept = [&](std::uint16_t bits) { return at.flushes && !(bits & exponent) ? static_cast<std::uint16_t>(bits & 0x8000) : bits; };
    for (int i = 0; i < at.type.elements; ++i) {
        const auto of = [&](std::uint32_t bits) { return static_cast<double>(widened(at.type.kind, kept(static_cast<std::uint16_t>(bits >> 16 * i)))); };
        double value = f(of(a), of(b), of(c));
        if (at.saturates) value = saturated(value);
        if (at.flag) value = positive(value);
        result |= std::uint32_t{kept(narrowed(at.type.kind, value))} << 16 * i;
    }
    return result;
}

}  // namespace ladder::ptx
