// add, sub, mul, mad, fma, div, rem, min, max, abs, neg: of whole numbers, of floats, and of pairs of 16-bit floats.
#include <limits>

#include "numbers.h"
#include "opcodes.h"

namespace ladder::ptx {

namespace {

template <class T> using Double = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, std::int32_t, std::conditional_t<sizeof(T) == 4, std::int64_t, __int128>>,
                                                     std::conditional_t<sizeof(T) == 2, std::uint32_t, std::conditional_t<sizeof(T) == 4, std::uint64_t, unsigned __int128>>>;

struct Parts {   // an instruction's modifiers, as most that compute have them
    Modifiers left;
    bool relu;

    explicit Parts(Instruction& it) : left(it), relu(left.take("relu")) {
        it.rounding = left.take_one({"rn", "rz", "rm", "rp"});
        it.flushes = left.take("ftz");
        it.saturates = left.take("sat");
    }
    void finish(Instruction& it) {
        it.type = left.needed_type();
        left.done();
        if (relu) it.flag = true;
        if (it.flag && !is_narrow(it.type)) throw Wrong("`.relu` is for f16 and bf16");
    }
};

// ---- floats ----

template <class T> T with_flags(const Instruction& at, T value) {
    if (at.saturates) value = saturated(value);
    return canonical(at.flushes ? flushed(value) : value);
}
template <class T> T input(const Lane& lane, const Instruction& at, std::size_t operand) {
    const T value = lane.get<T>(at[operand]);
    return at.flushes ? flushed(value) : value;
}

template <char operation> Instruction::Run floats(Type type) {
    return pick_float(type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const T a = input<T>(l, at, 1), b = input<T>(l, at, 2);
            const T c = operation == 'f' ? input<T>(l, at, 3) : T{0};
            l.set(at[0], with_flags(at, in_mode<T>(mode_of(at.rounding), operation, a, b, c)));
        };
    });
}

// a * b + c of 16-bit numbers, so that it may be rounded again: a product is exact, and what the sum loses makes its last
// bit odd, as in Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums" (2008).
double fused_to_odd(double a, double b, double c) {
    const double product = a * b, sum = std::fma(a, b, c), of_c = sum - product;
    const double lost = (product - (sum - of_c)) + (c - of_c);   // Knuth's two-sum
    const auto bits = std::bit_cast<std::int64_t>(sum);
    if (!std::isfinite(sum) || lost == 0 || bits & 1) return sum;
    return std::bit_cast<double>(bits + ((lost > 0) == (sum > 0) ? 1 : -1));
}

template <char operation> double compute(double a, double b, double c) {
    switch (operation) {
        case '+': return a + b;
        case '-': return a - b;
        case '*': return a * b;
        default: return fused_to_odd(a, b, c);
    }
}

template <char operation> Instruction::Run narrow_floats() {
    return [](Lane& l, const Instruction& at) {
        const std::uint32_t c = operation == 'f' ? l.get<std::uint32_t>(at[3]) : 0;
        const std::uint32_t result = each_narrow(at, l.get<std::uint32_t>(at[1]), l.get<std::uint32_t>(at[2]), c, compute<operation>);
        if (at.type.elements == 2) l.set(at[0], result);
        else l.set(at[0], static_cast<std::uint16_t>(result));
    };
}

template <char operation> bool prepare_floats(Instruction& it) {
    if (it.type.kind != Kind::Float && it.type.kind != Kind::Brain) return false;
    want_all(it, operation == 'f' ? 4 : 3, it.type);
    it.run = is_narrow(it.type) ? narrow_floats<operation>() : floats<operation>(it.type);
    return true;
}

// ---- whole numbers ----

// With the carry of add.cc and its kin: the thread's, for one asm statement may set it for the next. A difference is a sum
// with the complement, which carries where nothing is borrowed.
template <bool subtract> Instruction::Run with_carry(Type type) {
    return pick_whole(type, [](auto zero) -> Instruction::Run {
        using U = std::make_unsigned_t<decltype(zero)>;
        return [](Lane& l, const Instruction& at) {
            const bool in = at.choice & 1 ? l.thread.carry : subtract;
            const U a = l.get<U>(at[1]), b = l.get<U>(at[2]);
            const auto wide = static_cast<unsigned __int128>(a) + (subtract ? static_cast<U>(~b) : b) + in;
            l.set(at[0], static_cast<U>(wide));
            if (at.choice & 2) l.thread.carry = (wide >> (8 * sizeof(U)) & 1) != 0;
        };
    });
}

template <bool subtract> void prepare_sum(Instruction& it) {
    Parts parts(it);
    const bool carries = parts.left.take("cc");
    parts.finish(it);
    if (prepare_floats<subtract ? '-' : '+'>(it)) return;
    want_all(it, 3, it.type);
    it.choice |= carries ? 2 : 0;
    if (it.choice) return void(it.run = with_carry<subtract>(it.type));
    it.run = pick_whole(it.type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const T a = l.get<T>(at[1]), b = l.get<T>(at[2]);
            if (at.saturates) {
                const auto wide = subtract ? Double<T>{a} - Double<T>{b} : Double<T>{a} + Double<T>{b};
                l.set(at[0], static_cast<T>(std::clamp<Double<T>>(wide, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())));
            } else {
                l.set(at[0], static_cast<T>(subtract ? Wraps<T>(a) - Wraps<T>(b) : Wraps<T>(a) + Wraps<T>(b)));
            }
        };
    });
}
template <bool subtract> void prepare_sum_with_carry(Instruction& it) {
    it.choice = 1;
    prepare_sum<subtract>(it);
}

// A part of a product and the last operand; extra: 1 with the carry, 2 sets it.
template <class T> void add_to_product(Lane& l, const Instruction& at, T part) {
    using U = std::make_unsigned_t<T>;
    const T c = l.get<T>(at[3]);
    if (at.saturates) {
        const auto sum = Double<T>{part} + Double<T>{c};
        return l.set(at[0], static_cast<T>(std::clamp<Double<T>>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())));
    }
    const auto wide = static_cast<unsigned __int128>(static_cast<U>(part)) + static_cast<U>(c) + (at.extra & 1 && l.thread.carry);
    l.set(at[0], static_cast<T>(wide));
    if (at.extra & 2) l.thread.carry = (wide >> (8 * sizeof(U)) & 1) != 0;
}

// mul and mad: .lo, .hi or .wide
template <bool add> void prepare_product(Instruction& it) {
    Parts parts(it);
    it.choice = parts.left.take_one({"lo", "hi", "wide"});
    if (add && parts.left.take("cc")) it.extra |= 2;
    parts.finish(it);
    if (it.extra && (it.choice == 2 || !it.type.whole())) throw Wrong("a carry is for .lo and .hi of whole numbers");
    if (prepare_floats<add ? 'f' : '*'>(it)) return;
    if (it.choice < 0) throw Wrong("it needs .lo, .hi or .wide");
    if (it.saturates && (!add || it.choice != 1 || !it.type.is(Kind::Signed, 32))) throw Wrong("`.sat` is for mad.hi.s32");
    Type wide = it.type;
    if (it.choice == 2) wide.bits = static_cast<std::uint8_t>(2 * wide.bits);
    want_operands(it, add ? 4 : 3);
    want_register(it[0], wide);
    want_value(it[1], it.type);
    want_value(it[2], it.type);
    if (add) want_value(it[3], wide);
    it.run = pick_whole(it.type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            using D = Double<T>;
            const D product = static_cast<D>(static_cast<D>(l.get<T>(at[1])) * static_cast<D>(l.get<T>(at[2])));
            if (at.choice == 2) {
                if constexpr (sizeof(D) <= 8) l.set(at[0], static_cast<D>(add ? std::make_unsigned_t<D>(product) + std::make_unsigned_t<D>(l.get<D>(at[3])) : product));
                return;
            }
            const T part = static_cast<T>(at.choice == 1 ? product >> (8 * sizeof(T)) : product);
            if (add) add_to_product(l, at, part);
            else l.set(at[0], part);
        };
    });
    if (it.choice == 2 && it.type.bits == 64) throw Wrong("`.wide` is for 16 and 32 bits");
}
void prepare_product_with_carry(Instruction& it) {
    it.extra = 1;
    prepare_product<true>(it);
}

// mul24 and mad24: of the lower 24 bits; the lower 32 of the product's 48 bits, or with .hi the upper ones
template <bool add> void prepare_short_product(Instruction& it) {
    Parts parts(it);
    it.choice = parts.left.take_one({"lo", "hi"});
    parts.finish(it);
    if (it.choice < 0 || !it.type.whole() || it.type.bits != 32) throw Wrong("it needs .lo or .hi, and .u32 or .s32");
    if (it.saturates && (!add || it.choice != 1 || it.type.kind != Kind::Signed)) throw Wrong("`.sat` is for mad24.hi.s32");
    want_all(it, add ? 4 : 3, it.type);
    it.run = pick_whole(it.type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const auto of = [&](std::size_t operand) { return Double<T>{static_cast<T>(l.get<std::uint32_t>(at[operand]) << 8)} >> 8; };
            const T part = static_cast<T>(of(1) * of(2) >> (at.choice == 1 ? 16 : 0));
            if (add) add_to_product(l, at, part);
            else l.set(at[0], part);
        };
    });
}

void prepare_fma(Instruction& it) {
    Parts parts(it);
    parts.finish(it);
    if (!prepare_floats<'f'>(it)) throw Wrong("it is for floats: mad.lo computes with whole numbers");
}

template <bool remainder> void prepare_quotient(Instruction& it) {
    Parts parts(it);
    parts.left.take_one({"approx", "full"});
    parts.finish(it);
    want_all(it, 3, it.type);
    if (!it.type.whole()) return void(it.run = floats<'/'>(it.type));
    it.run = pick_whole(it.type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const T a = l.get<T>(at[1]), b = l.get<T>(at[2]);
            const bool overflows = std::is_signed_v<T> && b == static_cast<T>(-1);
            if (b == 0) l.set(at[0], static_cast<T>(-1));   // as a GPU has it
            else if (overflows) l.set(at[0], remainder ? T{0} : static_cast<T>(Wraps<T>(0) - Wraps<T>(a)));
            else l.set(at[0], static_cast<T>(remainder ? a % b : a / b));
        };
    });
}

// ---- min, max, abs, neg ----

// One that is no number gives way to the other, but for .NaN; -0 is below +0. .xorsign.abs: of the values, with both signs.
template <bool greater, class T> T extreme(T a, T b, bool nan) {
    if (a != a || b != b) return (a != a && b != b) || nan ? std::numeric_limits<T>::quiet_NaN() : a != a ? b : a;
    if (a == b) return std::signbit(a) == greater ? b : a;
    return (a > b) == greater ? a : b;
}

template <bool greater, class T> T extreme(T a, T b, const Instruction& at) {
    if (!at.extra) return extreme<greater>(a, b, at.choice != 0);
    const T result = extreme<greater>(std::fabs(a), std::fabs(b), at.choice != 0);
    return result != result ? result : std::copysign(result, std::signbit(a) != std::signbit(b) ? T{-1} : T{1});
}

template <bool greater> void prepare_extreme(Instruction& it) {
    Parts parts(it);
    it.choice = parts.left.take("NaN");
    it.extra = parts.left.take("xorsign");
    if (it.extra != std::uint64_t{parts.left.take("abs")}) throw Wrong("`.xorsign` and `.abs` go together");
    parts.finish(it);
    want_all(it, 3, it.type);
    if (it.extra && it.type.whole()) throw Wrong("`.xorsign` is for floats");
    if (is_narrow(it.type)) {
        it.run = [](Lane& l, const Instruction& at) {
            const auto result = each_narrow(at, l.get<std::uint32_t>(at[1]), l.get<std::uint32_t>(at[2]), 0, [&](double a, double b, double) { return extreme<greater>(a, b, at); });
            if (at.type.elements == 2) l.set(at[0], result);
            else l.set(at[0], static_cast<std::uint16_t>(result));
        };
    } else if (it.type.whole()) {
        it.run = pick_whole(it.type, [](auto zero) -> Instruction::Run {
            using T = decltype(zero);
            return [](Lane& l, const Instruction& at) {
                const T a = l.get<T>(at[1]), b = l.get<T>(at[2]);
                l.set(at[0], (a > b) == greater ? a : b);
            };
        });
    } else {
        it.run = pick_float(it.type, [](auto zero) -> Instruction::Run {
            using T = decltype(zero);
            return [](Lane& l, const Instruction& at) { l.set(at[0], with_flags(at, extreme<greater>(input<T>(l, at, 1), input<T>(l, at, 2), at))); };
        });
    }
}

// abs and neg of floats change one bit, of each number in a pair.
template <bool negate> void prepare_sign(Instruction& it) {
    Parts parts(it);
    parts.finish(it);
    want_all(it, 2, it.type);
    if (it.type.whole()) {
        it.run = pick_whole(it.type, [](auto zero) -> Instruction::Run {
            using T = decltype(zero);
            return [](Lane& l, const Instruction& at) {
                const T a = l.get<T>(at[1]);
                l.set(at[0], negate || (std::is_signed_v<T> && a < 0) ? static_cast<T>(Wraps<T>(0) - Wraps<T>(a)) : a);
            };
        });
        return;
    }
    if (is_narrow(it.type)) {
        it.run = [](Lane& l, const Instruction& at) {
            const auto result = each_narrow(at, l.get<std::uint32_t>(at[1]), 0, 0, [](double a, double, double) { return negate ? -a : std::fabs(a); });
            if (at.type.elements == 2) l.set(at[0], result);
            else l.set(at[0], static_cast<std::uint16_t>(result));
        };
        return;
    }
    it.extra = std::uint64_t{1} << (it.type.bits - 1);
    it.run = [](Lane& l, const Instruction& at) {
        const std::uint64_t bits = l.bits(at[1]);
        std::uint64_t result = negate ? bits ^ at.extra : bits & ~at.extra;
        if (at.type.is(Kind::Float, 32)) {
            float value;
            std::memcpy(&value, &result, sizeof value);
            value = canonical(at.flushes ? flushed(value) : value);
            std::memcpy(&result, &value, sizeof value);
        }
        l.set(at[0], result);
    };
}

}  // namespace

void add_arithmetic(Table& table) {
    table.insert({{"add", prepare_sum<false>}, {"sub", prepare_sum<true>}, {"addc", prepare_sum_with_carry<false>}, {"subc", prepare_sum_with_carry<true>},
                  {"mul", prepare_product<false>}, {"mad", prepare_product<true>}, {"madc", prepare_product_with_carry}, {"mul24", prepare_short_product<false>},
                  {"mad24", prepare_short_product<true>}, {"fma", prepare_fma}, {"div", prepare_quotient<false>},
                  {"rem", prepare_quotient<true>}, {"min", prepare_extreme<false>}, {"max", prepare_extreme<true>}, {"abs", prepare_sign<false>},
                  {"neg", prepare_sign<true>}});
}

}  // namespace ladder::ptx
