// The two floating-point formats of 16 bits, and conversions between them and float. The runtime has them from here, too.
#pragma once

#include <fenv.h>

#include "abi.h"

namespace ladder {

// An IEEE interchange format of 16 bits: `digits` behind the point, exponents stored with `bias` added.
struct Binary16 {
    static constexpr int digits = 10, bias = 15;
    static constexpr Type single = Type::F16, pair = Type::F16x2;
};
struct Brain16 {
    static constexpr int digits = 7, bias = 127;
    static constexpr Type single = Type::BF16, pair = Type::BF16x2;
};

using Stored = unsigned short;

template <class F> constexpr Stored infinity = static_cast<Stored>((2 * F::bias + 1) << F::digits);

template <class F> LADDER_UNSEEN constexpr float widen(Stored bits) {
    const unsigned sign = static_cast<unsigned>(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    const unsigned aligned = magnitude << (23 - F::digits);
    if (magnitude >= infinity<F>) return __builtin_bit_cast(float, sign | 0x7f800000u | aligned);
    // The exponent is still in the narrow format's bias: one exact multiplication mends it, also for subnormal values.
    const float rebias = __builtin_bit_cast(float, static_cast<unsigned>(254 - F::bias) << 23);
    return __builtin_bit_cast(float,
                              sign | __builtin_bit_cast(unsigned, __builtin_bit_cast(float, aligned) * rebias));
}

template <class F> LADDER_UNSEEN constexpr Stored narrow(double x, int mode = FE_TONEAREST) {
    const auto bits = __builtin_bit_cast(unsigned long, x);
    const auto sign = static_cast<Stored>(bits >> 48 & 0x8000);
    if (x != x) return 0x7fff;
    if ((bits << 1) >> 53 == 0x7ff) return sign | infinity<F>;
    const int lowest = 1 - F::bias;
    const int own = static_cast<int>((bits << 1) >> 53) - 1023;
    const int exponent = own > lowest ? own : lowest;
    // In units of the result's last digit, 2^(exponent - digits).
    const double scaled =
        (x < 0 ? -x : x) * __builtin_bit_cast(double, static_cast<unsigned long>(1023 + F::digits - exponent) << 52);
    auto units = static_cast<unsigned long>(scaled);
    const double rest = scaled - static_cast<double>(units);
    const bool to_infinity = sign ? mode == FE_DOWNWARD : mode == FE_UPWARD;
    units += mode == FE_TONEAREST ? rest > 0.5 || (rest == 0.5 && units & 1) : to_infinity && rest > 0;
    // The leading digit of a normal value adds one to the exponent field; so does a carry out of the digits.
    const unsigned long magnitude = units + (static_cast<unsigned long>(exponent - lowest) << F::digits);
    if (magnitude < infinity<F>) return static_cast<Stored>(sign | magnitude);
    return sign | static_cast<Stored>(infinity<F> - (mode != FE_TONEAREST && !to_infinity));
}

}  // namespace ladder
