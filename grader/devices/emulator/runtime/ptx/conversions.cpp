// cvt: between whole numbers and floats of every width, with rounding and saturation; pairs of narrow floats.
#include <algorithm>
#include <limits>

#include "numbers.h"
#include "opcodes.h"

namespace ladder::ptx {

namespace {

// A floating-point number of 8 bits (OCP 8-bit formats): e4m3 has no infinity, and one NaN.
struct Format8 { int digits, bias; std::uint8_t greatest; };
constexpr Format8 e4m3{3, 7, 0x7e}, e5m2{2, 15, 0x7b};
const Format8& format(Type type) { return type.kind == Kind::E4M3 ? e4m3 : e5m2; }

float widened8(Type type, std::uint8_t bits) {
    const Format8& its = format(type);
    const int magnitude = bits & 0x7f, exponent = magnitude >> its.digits, fraction = magnitude & ((1 << its.digits) - 1);
    float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), 1 - its.bias - its.digits)
                                : std::ldexp(static_cast<float>(fraction | 1 << its.digits), exponent - its.bias - its.digits);
    if (type.kind == Kind::E4M3 && magnitude == 0x7f) value = std::numeric_limits<float>::quiet_NaN();
    if (type.kind == Kind::E5M2 && magnitude >= 0x7c) value = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    return bits & 0x80 ? -value : value;
}

// To nearest even; what is too great becomes the greatest (.satfinite).
std::uint8_t narrowed8(Type type, float value) {
    const Format8& its = format(type);
    const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
    if (value != value) return 0x7f;
    const float magnitude = std::fabs(value);
    int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), 1 - its.bias) : 1 - its.bias;
    if (std::isinf(magnitude)) return sign | its.greatest;
    const float units = std::nearbyint(std::ldexp(magnitude, its.digits - exponent));
    const auto bits = static_cast<std::int64_t>(units) + (static_cast<std::int64_t>(exponent + its.bias - 1) << its.digits);
    return static_cast<std::uint8_t>(sign | std::min<std::int64_t>(bits, its.greatest));
}

// ---- one value ----

bool is_float(Type type) { return type.kind == Kind::Float || type.kind == Kind::Brain || type.kind == Kind::Tensor; }

double as_double(const Lane& l, const Instruction& at) {
    if (is_narrow(at.from)) return widened(at.from.kind, l.get<std::uint16_t>(at[1]));
    return at.from.bits == 64 ? l.get<double>(at[1]) : at.flushes ? flushed(l.get<float>(at[1])) : l.get<float>(at[1]);
}

__int128 as_whole(const Lane& l, const Instruction& at) {
    const std::uint64_t bits = l.bits(at[1]);
    const unsigned above = 64 - at.from.width();
    if (at.from.kind == Kind::Signed) return static_cast<std::int64_t>(bits << above) >> above;
    return bits << above >> above;
}

void set_whole(Lane& l, const Instruction& at, __int128 value, bool clamps) {
    const unsigned width = at.type.width();
    const bool is_signed = at.type.kind == Kind::Signed;
    const __int128 one = 1, lowest = is_signed ? -(one << (width - 1)) : 0, highest = (one << (is_signed ? width - 1 : width)) - 1;
    if (clamps) value = value < lowest ? lowest : value > highest ? highest : value;
    auto bits = static_cast<std::uint64_t>(value);
    const unsigned above = 64 - width, filled = at[0].type.width();   // of the register, which may be wider
    bits = is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << above) >> above) : bits << above >> above;
    l.set(at[0], filled >= 64 ? bits : bits & ((std::uint64_t{1} << filled) - 1));
}

// .rni .rzi .rmi .rpi, in this order
double to_whole(double value, int how) {
    switch (how) {
        case 1: return std::trunc(value);
        case 2: return std::floor(value);
        case 3: return std::ceil(value);
        default: return std::nearbyint(value);
    }
}

// With the upper bits of its own: so a GPU converts from double.
std::uint16_t half_of_nan(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return static_cast<std::uint16_t>(bits >> 48 & 0x8000) | 0x7e00 | static_cast<std::uint16_t>(bits >> 42 & 0x3ff);
}

template <class T> void set_float(Lane& l, const Instruction& at, T value) {
    if (at.saturates) value = saturated(value);
    if (at.flag) value = static_cast<T>(positive(static_cast<double>(value)));
    if (at.type.is(Kind::Float, 16) && at.from.bits == 64 && value != value) l.set(at[0], half_of_nan(static_cast<double>(value)));
    else if (is_narrow(at.type)) l.set(at[0], narrowed(at.type.kind, static_cast<double>(value), mode_of(at.rounding)));
    else if (at.type.bits == 64) l.set(at[0], static_cast<double>(value));
    else {
        const float single = convert<float>(mode_of(at.rounding), value);
        const bool keeps = at.from.bits == 64 || at.from.kind == Kind::Brain;   // what is no number as it is, as a GPU does
        l.set(at[0], keeps ? at.flushes ? flushed(single) : single : canonical(at.flushes ? flushed(single) : single));
    }
}

void float_to_float(Lane& l, const Instruction& at) {
    const double value = as_double(l, at);
    set_float(l, at, at.choice >= 0 ? to_whole(value, at.choice) : value);
}
void float_to_whole(Lane& l, const Instruction& at) {
    const double value = as_double(l, at), rounded = to_whole(value, at.choice);
    const unsigned width = at.type.width();
    if (value != value) return set_whole(l, at, width == 64 || at.from.bits == 64 ? static_cast<__int128>(1) << (width - 1) : 0, false);   // as a GPU has it
    set_whole(l, at, std::fabs(rounded) < 0x1p100 ? static_cast<__int128>(rounded) : rounded < 0 ? -(static_cast<__int128>(1) << 100) : static_cast<__int128>(1) << 100, true);
}
void whole_to_float(Lane& l, const Instruction& at) {
    const __int128 value = as_whole(l, at);
    if (at.type.bits == 32 && value < 0) set_float(l, at, convert<float>(mode_of(at.rounding), static_cast<std::int64_t>(value)));
    else if (at.type.bits == 32) set_float(l, at, convert<float>(mode_of(at.rounding), static_cast<std::uint64_t>(value)));
    else if (value < 0) set_float(l, at, convert<double>(mode_of(at.rounding), static_cast<std::int64_t>(value)));
    else set_float(l, at, convert<double>(mode_of(at.rounding), static_cast<std::uint64_t>(value)));
}
void whole_to_whole(Lane& l, const Instruction& at) { set_whole(l, at, as_whole(l, at), at.saturates); }

// Ten digits behind the point, the others zero: of .rna to nearest, away from zero.
void to_tensor(Lane& l, const Instruction& at) {
    std::uint32_t bits = l.get<std::uint32_t>(at[1]);
    if (at.flag && bits >> 31) bits = (bits & 0x7fffffff) > 0x7f800000 ? bits : 0;   // .relu
    if ((bits & 0x7fffffff) > 0x7f800000 && at.rounding != 4) bits = 0x7fffffff;
    if ((bits & 0x7f800000) != 0x7f800000) {
        if (at.rounding == 4) bits += 0x1000;
        else if (at.rounding == 0) bits += 0xfff + (bits >> 13 & 1);
    }
    l.set(at[0], bits & ~0x1fffu);
}

// ---- pairs ----

std::uint32_t one_narrow(const Instruction& at, float value) {
    if (at.flag) value = static_cast<float>(positive(value));
    if (at.type.bits == 8) return narrowed8(at.type, value);
    const std::uint16_t bits = narrowed(at.type.kind, value, mode_of(at.rounding));
    const std::uint16_t past = at.type.kind == Kind::Brain ? infinity<Brain16> : infinity<Binary16>;
    return at.saturates && (bits & 0x7fff) == past ? bits - 1u : bits;   // .satfinite
}

// cvt.rn.bf16x2.f32 d, a, b: a goes into the upper half
void pair_of_floats(Lane& l, const Instruction& at) {
    const std::uint32_t packed = one_narrow(at, l.get<float>(at[1])) << at.type.bits | one_narrow(at, l.get<float>(at[2]));
    if (at.type.bits == 8) l.set(at[0], static_cast<std::uint16_t>(packed));
    else l.set(at[0], packed);
}
// e4m3x2 and e5m2x2 from and to f16x2
void pair_of_halves(Lane& l, const Instruction& at) {
    const std::uint64_t bits = l.bits(at[1]);
    std::uint32_t result = 0;
    for (int i = 0; i < 2; ++i) {
        if (at.type.bits == 8) result |= one_narrow(at, widened(at.from.kind, static_cast<std::uint16_t>(bits >> 16 * i))) << 8 * i;
        else result |= one_narrow(at, widened8(at.from, static_cast<std::uint8_t>(bits >> 8 * i))) << 16 * i;
    }
    if (at.type.bits == 8) l.set(at[0], static_cast<std::uint16_t>(result));
    else l.set(at[0], result);
}

void prepare_pairs(Instruction& it, bool finite) {
    it.saturates = finite;
    const bool of_floats = it.from.is(Kind::Float, 32);
    want_operands(it, of_floats ? 3 : 2);
    want_register(it[0], it.type);
    for (std::size_t i = 1; i < it.operands.size(); ++i) want_value(it[i], it.from);
    if (!of_floats && (it.from.elements != 2 || it.from.bits == it.type.bits)) throw Wrong("there is no conversion between these types");
    if (it.type.bits == 8 && !finite) throw Wrong("it needs .satfinite");
    it.run = of_floats ? pair_of_floats : pair_of_halves;
}

// cvt.pack.sat.s8.s32.b32 d, a, b, c: b, a above it, and what of c fits above them.
void pack(Lane& l, const Instruction& at) {
    const auto its = [&](const Operand& operand) {
        const std::int64_t lowest = at.type.kind == Kind::Signed ? -(std::int64_t{1} << (at.type.bits - 1)) : 0;
        const std::int64_t highest = lowest + (std::int64_t{1} << at.type.bits) - 1;
        return static_cast<std::uint64_t>(std::clamp<std::int64_t>(l.get<std::int32_t>(operand), lowest, highest)) & ((1u << at.type.bits) - 1);
    };
    const std::uint64_t above = at.operands.size() > 3 ? std::uint64_t{l.get<std::uint32_t>(at[3])} << 2 * at.type.bits : 0;
    l.set(at[0], static_cast<std::uint32_t>(above | its(at[1]) << at.type.bits | its(at[2])));
}

void prepare_pack(Instruction& it, Modifiers& left) {
    if (!left.take("sat")) throw Wrong("it needs .sat");
    const int few_bits = left.take_one({"s4", "s2", "u4", "u2"});   // which no other instruction that is emulated has
    if (few_bits < 0) it.type = left.needed_type();
    else it.type = {few_bits < 2 ? Kind::Signed : Kind::Unsigned, static_cast<std::uint8_t>(few_bits % 2 ? 2 : 4), 1};
    it.from = left.needed_type();
    const bool has_more = it.type.bits <= 8;
    if (!it.from.is(Kind::Signed, 32) || !it.type.whole() || (!has_more && it.type.bits != 16)) throw Wrong("it packs .s32 into whole numbers of 2 to 16 bits");
    if (has_more && !left.needed_type().is(Kind::Bits, 32)) throw Wrong("of 2 to 8 bits it needs .b32, and a register to pack them into");
    left.done();
    want_operands(it, has_more ? 4 : 3);
    want_register(it[0], Type{Kind::Bits, 32, 1});
    for (std::size_t i = 1; i < it.operands.size(); ++i) want_value(it[i], Type{Kind::Bits, 32, 1});
    it.run = pack;
}

void prepare_cvt(Instruction& it) {
    Modifiers left(it);
    if (left.take("pack")) return prepare_pack(it, left);
    it.rounding = left.take_one({"rn", "rz", "rm", "rp", "rna"});
    it.choice = left.take_one({"rni", "rzi", "rmi", "rpi"});
    it.flushes = left.take("ftz");
    const bool finite = left.take("satfinite");
    it.saturates = left.take("sat");
    it.flag = left.take("relu");
    it.type = left.needed_type();
    it.from = left.needed_type();
    left.done();
    if (it.type.elements == 2) return prepare_pairs(it, finite);
    want_operands(it, 2);
    const Type to = it.type.kind == Kind::Tensor ? Type{Kind::Bits, 32, 1} : it.type;
    if (to.whole()) want_wide_enough(it[0], to);
    else want_register(it[0], to);
    if (it.from.whole()) want_wide_enough(it[1], it.from);
    else want_value(it[1], it.from);
    if (it.type.bits == 8 && !it.type.whole()) throw Wrong("numbers of 8 bits come in pairs: .e4m3x2, .e5m2x2");
    if (it.type.kind == Kind::Tensor) it.run = to_tensor;
    else if (is_float(it.type)) it.run = is_float(it.from) ? float_to_float : whole_to_float;
    else it.run = is_float(it.from) ? float_to_whole : whole_to_whole;
    if (it.run == float_to_whole && it.choice < 0) throw Wrong("to a whole number it needs .rni, .rzi, .rmi or .rpi");
}

}  // namespace

void add_conversions(Table& table) { table.emplace("cvt", prepare_cvt); }

}  // namespace ladder::ptx
