#include "tensor_core.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "../include/ladder/fragments.h"

namespace ladder {

namespace {

constexpr int most_rows = 16, most_columns = 8, most_k = 32;

// A floating-point number as a tensor core takes it apart: digits x 2^(exponent - fraction bits of its format). Subnormal
// ones have the lowest exponent, and no digit before the point.
struct Decoded {
    std::int32_t digits;
    std::int32_t exponent;
};

struct Format { int exponent_bits, fraction_bits, unused_bits; };

constexpr Format format_of(Number number) {
    switch (number) {
        case Number::F16: return {5, 10, 0};
        case Number::BF16: return {8, 7, 0};
        case Number::TF32: return {8, 10, 13};
        default: return {8, 23, 0};
    }
}

constexpr int bits_of(Number number) {
    switch (number) {
        case Number::F16: case Number::BF16: return 16;
        case Number::E4M3: case Number::E5M2: case Number::S8: case Number::U8: return 8;
        case Number::F64: return 64;
        default: return 32;
    }
}

constexpr int per_register(Number number) { return std::max(1, 32 / bits_of(number)); }

bool is_finite(Number number, std::uint32_t bits) {
    const Format format = format_of(number);
    const std::uint32_t exponent = bits >> (format.fraction_bits + format.unused_bits) & ((1u << format.exponent_bits) - 1);
    return exponent != (1u << format.exponent_bits) - 1;
}

Decoded decode(Number number, std::uint32_t bits) {
    const Format format = format_of(number);
    bits >>= format.unused_bits;
    const int fraction = static_cast<int>(bits & ((1u << format.fraction_bits) - 1));
    const int exponent = static_cast<int>(bits >> format.fraction_bits & ((1u << format.exponent_bits) - 1));
    const bool negative = bits >> (format.exponent_bits + format.fraction_bits) & 1;
    const int digits = exponent ? fraction | 1 << format.fraction_bits : fraction;
    return {negative ? -digits : digits, std::max(exponent, 1) - ((1 << (format.exponent_bits - 1)) - 1)};
}

// E4M3 has no infinity: all ones are no number.
std::uint32_t half_of(Number number, std::uint32_t bits) {
    if (number == Number::E5M2) return bits << 8;
    const std::uint32_t sign = (bits & 0x80) << 8, exponent = bits >> 3 & 15, fraction = bits & 7;
    if ((bits & 0x7f) == 0x7f) return sign | 0x7fff;
    if (exponent) return sign | (exponent + 8) << 10 | fraction << 7;
    if (fraction == 0) return sign;
    const int top = 31 - std::countl_zero(fraction);   // 2^-9 x fraction is a normal half
    return sign | static_cast<std::uint32_t>(top + 6) << 10 | (fraction << (10 - top) & 0x3ff);
}

// Only for what is not finite: the sum is then infinite or no number, whatever the order.
double value_of(Number number, std::uint32_t bits) {
    if (is_finite(number, bits)) {
        const Decoded parts = decode(number, bits);
        return std::ldexp(parts.digits, parts.exponent - format_of(number).fraction_bits);
    }
    const Format format = format_of(number);
    bits >>= format.unused_bits;
    if (bits & ((1u << format.fraction_bits) - 1)) return std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    return bits >> (format.exponent_bits + format.fraction_bits) & 1 ? -infinity : infinity;
}

// ---- sums of floating-point products ----

// What a tensor core of an H200 does, as measured (benchmarks/fidelity/tensor_sums.py): products are exact. All of them and
// the sum so far are shifted to the largest exponent among them, and what lies 25 bits below the point is cut off. Then
// they are added exactly; a sum that is a float is cut off to its digits, a half is rounded to the nearest.
constexpr int kept_bits = 25;
constexpr int nothing = std::numeric_limits<int>::min();   // the exponent of zero

// sum x 2^unit, exactly.
struct Exact { std::int64_t sum; int unit; };

std::int64_t shifted(std::int64_t digits, int by) {   // what falls off is cut off, towards zero
    if (by >= 0) return digits << by;
    if (by <= -63) return 0;
    return digits < 0 ? -(-digits >> -by) : digits >> -by;
}

std::uint32_t to_float(const Exact& exact) {
    if (exact.sum == 0) return 0;
    const std::uint32_t sign = exact.sum < 0 ? 0x80000000u : 0;
    const auto magnitude = static_cast<std::uint64_t>(exact.sum < 0 ? -exact.sum : exact.sum);
    const int top = 63 - std::countl_zero(magnitude), exponent = top + exact.unit;
    if (exponent > 127) return sign | 0x7f800000u;
    const int last = std::max(exponent, -126) - 23;   // the exponent of its last digit
    const auto digits = static_cast<std::uint32_t>(shifted(static_cast<std::int64_t>(magnitude), exact.unit - last));
    return sign | (exponent < -126 ? digits : static_cast<std::uint32_t>(exponent + 127) << 23 | (digits & 0x7fffff));
}

std::uint32_t to_half(const Exact& exact) {   // to the nearest, to an even one in the middle
    if (exact.sum == 0) return 0;
    const std::uint32_t sign = exact.sum < 0 ? 0x8000u : 0;
    const auto magnitude = static_cast<std::uint64_t>(exact.sum < 0 ? -exact.sum : exact.sum);
    const int top = 63 - std::countl_zero(magnitude), last = std::max(top + exact.unit, -14) - 10;
    const int drop = last - exact.unit;
    std::uint64_t digits = drop > 0 ? (drop > 62 ? 0 : magnitude >> drop) : magnitude << -drop;
    if (drop > 0 && drop <= 62) {
        const std::uint64_t rest = magnitude & ((std::uint64_t{1} << drop) - 1), middle = std::uint64_t{1} << (drop - 1);
        digits += rest > middle || (rest == middle && digits & 1);
    }
    // A carry out of the digits is one more in the exponent, which is right; a subnormal number has none.
    const std::uint64_t bits = digits < 1024 ? digits : (static_cast<std::uint64_t>(last + 10 + 15) << 10) + digits - 1024;
    return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(bits, 0x7c00));
}

Exact add_up(const Decoded* row, const Decoded* column, int count, int fraction_bits, Decoded c, int c_fraction_bits) {
    int largest = c.digits ? c.exponent : nothing;
    for (int k = 0; k < count; ++k)
        if (row[k].digits && column[k].digits) largest = std::max(largest, row[k].exponent + column[k].exponent);
    if (largest == nothing) return {0, 0};
    std::int64_t sum = c.digits ? shifted(c.digits, c.exponent - largest + kept_bits - c_fraction_bits) : 0;
    for (int k = 0; k < count; ++k) {
        const std::int64_t product = std::int64_t{row[k].digits} * column[k].digits;
        if (product) sum += shifted(product, row[k].exponent + column[k].exponent - largest + kept_bits - 2 * fraction_bits);
    }
    return {sum, largest - kept_bits};
}

struct Operand {   // a row of a or a column of b
    Decoded parts[most_k];
    bool finite = true;
};

std::uint32_t dot(const Product& product, const Operand& row, const Operand& column, std::uint32_t c) {
    const int fraction_bits = format_of(product.a).fraction_bits;
    const Exact exact = add_up(row.parts, column.parts, product.k, fraction_bits, decode(product.sums, c), format_of(product.sums).fraction_bits);
    return product.sums == Number::F16 ? to_half(exact) : to_float(exact);
}

constexpr std::uint32_t no_number(Number number) { return number == Number::F16 ? 0x7fff : 0x7fffffff; }

std::uint32_t not_finite(const Product& product, const std::uint32_t* row, const std::uint32_t* column, std::uint32_t c) {
    double sum = value_of(product.sums, c);
    for (int k = 0; k < product.k; ++k) sum += value_of(product.a, row[k]) * value_of(product.b, column[k]);
    if (sum != sum) return no_number(product.sums);
    const bool negative = sum < 0;
    return product.sums == Number::F16 ? (negative ? 0xfc00u : 0x7c00u) : negative ? 0xff800000u : 0x7f800000u;
}

// ---- registers and matrices ----

std::uint32_t element(const std::uint32_t* registers, int per, int e) {
    const int bits = 32 / per;
    return registers[e / per] >> (e % per * bits) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

struct Matrices {
    std::uint32_t rows[most_rows][most_k], columns[most_columns][most_k];
};

void read(const Product& product, const Registers a, const Registers b, Matrices& matrices) {
    const int per = per_register(product.a);
    for (int lane = 0; lane < 32; ++lane) {
        for (int e = 0; e < product.k / 2; ++e) {
            const InMatrix place = place_in_a(per, lane, e);
            matrices.rows[place.row][place.column] = element(a[lane], per, e);
        }
        for (int e = 0; e < product.k / 4; ++e) {
            const InMatrix place = place_in_b(per, lane, e);
            matrices.columns[place.column][place.row] = element(b[lane], per, e);
        }
    }
}

// Sets each element of d to sum(row, column, that of c).
template <class F> void each_sum(const Product& product, const Registers c, Registers d, F sum) {
    const int per = product.sums == Number::F16 ? 2 : 1;
    for (int lane = 0; lane < 32; ++lane) {
        std::uint32_t sums[4] = {};
        for (int e = 0; e < 4; ++e) {
            const InMatrix place = place_in_c(lane, e);
            sums[e / per] |= sum(place.row, place.column, element(c[lane], per, e)) << (e % per * 16);
        }
        std::memcpy(d[lane], sums, sizeof sums);
    }
}

void multiply_floats(const Product& product, const Registers a, const Registers b, const Registers c, Registers d) {
    Matrices matrices;
    read(product, a, b, matrices);
    Operand rows[most_rows], columns[most_columns];
    const auto take = [&](Operand& operand, Number number, const std::uint32_t* from) {
        for (int k = 0; k < product.k; ++k) {
            operand.parts[k] = decode(number, from[k]);
            operand.finite = operand.finite && is_finite(number, from[k]);
        }
    };
    for (int i = 0; i < most_rows; ++i) take(rows[i], product.a, matrices.rows[i]);
    for (int j = 0; j < most_columns; ++j) take(columns[j], product.b, matrices.columns[j]);
    each_sum(product, c, d, [&](int i, int j, std::uint32_t start) {
        if (rows[i].finite && columns[j].finite && is_finite(product.sums, start)) return dot(product, rows[i], columns[j], start);
        return not_finite(product, matrices.rows[i], matrices.columns[j], start);
    });
}

// Numbers of 8 bits become halves, and two products of k = 16 are added to c: of the lower halves of all registers, then of
// the upper ones, which is no order of k. So nvcc has it on compute capability 9.0.
void multiply_float8(const Product& product, const Registers a, const Registers b, const Registers c, Registers d) {
    constexpr Product halves{Number::F16, Number::F16, Number::F32, 16, false};
    const auto pair = [](Number number, std::uint32_t bits) { return half_of(number, bits & 0xff) | half_of(number, bits >> 8 & 0xff) << 16; };
    std::uint32_t sums[32][4] = {}, wide_a[32][4], wide_b[32][4];
    for (int upper = 0; upper < 2; ++upper) {
        for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < 4; ++i) {
                wide_a[lane][i] = pair(product.a, a[lane][i] >> 16 * upper);
                wide_b[lane][i] = i < 2 ? pair(product.b, b[lane][i] >> 16 * upper) : 0;
            }
        multiply_floats(halves, wide_a, wide_b, sums, sums);
    }
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
            const float sum = std::bit_cast<float>(c[lane][i]) + std::bit_cast<float>(sums[lane][i]);
            d[lane][i] = sum == sum ? std::bit_cast<std::uint32_t>(sum) : no_number(Number::F32);
        }
}

void multiply_integers(const Product& product, const Registers a, const Registers b, const Registers c, Registers d) {
    Matrices matrices;
    read(product, a, b, matrices);
    const auto value = [](Number number, std::uint32_t bits) {
        return number == Number::S8 ? static_cast<std::int64_t>(static_cast<std::int8_t>(bits)) : static_cast<std::int64_t>(bits);
    };
    each_sum(product, c, d, [&](int i, int j, std::uint32_t start) {
        std::int64_t sum = static_cast<std::int32_t>(start);
        for (int k = 0; k < product.k; ++k) sum += value(product.a, matrices.rows[i][k]) * value(product.b, matrices.columns[j][k]);
        constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min(), high = std::numeric_limits<std::int32_t>::max();
        return static_cast<std::uint32_t>(product.saturated ? std::clamp(sum, low, high) : sum);
    });
}

// One fused multiplication and addition after another, each rounded to the nearest.
void multiply_doubles(const Registers a, const Registers b, const Registers c, Registers d) {
    double rows[8][4], columns[8][4];
    for (int lane = 0; lane < 32; ++lane) {
        const InMatrix in_a = place_in_a(1, lane, 0), in_b = place_in_b(1, lane, 0);
        std::memcpy(&rows[in_a.row][in_a.column], a[lane], sizeof(double));
        std::memcpy(&columns[in_b.column][in_b.row], b[lane], sizeof(double));
    }
    for (int lane = 0; lane < 32; ++lane) {
        double sums[2];
        std::memcpy(sums, c[lane], sizeof sums);
        for (int e = 0; e < 2; ++e) {
            const InMatrix place = place_in_c(lane, e);
            for (int k = 0; k < 4; ++k) sums[e] = std::fma(rows[place.row][k], columns[place.column][k], sums[e]);
        }
        std::memcpy(d[lane], sums, sizeof sums);
    }
}

}  // namespace

void multiply_matrices(const Product& product, const Registers a, const Registers b, const Registers c, Registers d) {
    if (product.a == Number::F64) multiply_doubles(a, b, c, d);
    else if (product.sums == Number::S32) multiply_integers(product, a, b, c, d);
    else if (bits_of(product.a) == 8) multiply_float8(product, a, b, c, d);
    else multiply_floats(product, a, b, c, d);
}

int instructions_of(const Product& product) { return product.a == Number::E4M3 || product.a == Number::E5M2 ? 2 : 1; }
int machine_k(const Product& product) { return product.k / instructions_of(product); }

static unsigned words_for(Number number, unsigned elements) { return elements * static_cast<unsigned>(bits_of(number)) / 32; }
unsigned words_of_a(const Product& product) { return words_for(product.a, product.a == Number::F64 ? 1 : product.k / 2u); }
unsigned words_of_b(const Product& product) { return words_for(product.b, product.k / 4u); }
unsigned words_of_sums(const Product& product) { return words_for(product.sums, product.sums == Number::F64 ? 2 : 4); }

}  // namespace ladder
