// Logic, shifts, and what counts, moves and reverses bits.
#include <bit>

#include "../../include/ladder/bits.h"
#include "opcodes.h"

namespace ladder::ptx {

namespace {

using std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;

enum Logic { And, Or, Xor, Not };

Type needed_bits(Instruction& it) {
    Modifiers left(it);
    it.type = left.needed_type();
    left.done();
    return it.type;
}

template <Logic how> uint64_t logic(uint64_t a, uint64_t b) {
    switch (how) {
        case And: return a & b;
        case Or: return a | b;
        case Xor: return a ^ b;
        default: return ~a;
    }
}

template <Logic how> void prepare_logic(Instruction& it) {
    const Type type = needed_bits(it);
    constexpr std::size_t count = how == Not ? 2 : 3;
    if (type.kind == Kind::Predicate) {
        want_operands(it, count);
        for (const Operand& operand : it.operands) want_predicate(operand);
        it.run = [](Lane& l, const Instruction& at) { l.set(at[0], logic<how>(l.predicate(at[1]), how == Not ? 0 : l.predicate(at[2])) & 1); };
        return;
    }
    want_all(it, count, type);
    it.extra = type.width() == 64 ? ~uint64_t{0} : (uint64_t{1} << type.width()) - 1;
    it.run = [](Lane& l, const Instruction& at) { l.set(at[0], logic<how>(l.bits(at[1]), how == Not ? 0 : l.bits(at[2])) & at.extra); };
}

// Distances beyond the width shift everything out.
template <bool left> void prepare_shift(Instruction& it) {
    const Type type = needed_bits(it);
    want_operands(it, 3);
    want_register(it[0], type);
    want_value(it[1], type);
    want_value(it[2], {Kind::Unsigned, 32, 1});
    it.run = pick_whole(type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const uint32_t by = std::min<uint32_t>(l.get<uint32_t>(at[2]), 8 * sizeof(T));
            const T value = l.get<T>(at[1]);
            if (left) l.set(at[0], static_cast<T>(by == 8 * sizeof(T) ? T{0} : static_cast<T>(std::make_unsigned_t<T>(value) << by)));
            else l.set(at[0], static_cast<T>(by < 8 * sizeof(T) ? value >> by : std::is_signed_v<T> && value < 0 ? T(-1) : T{0}));
        };
    });
}

// szext.clamp.s32 d, a, b: the lower b bits of a, with zeros or the sign above. bmsk.clamp.b32 d, a, b: b ones from bit a on
template <bool mask> void prepare_extension(Instruction& it) {
    Modifiers left(it);
    it.flag = left.take_one({"clamp", "wrap"}) == 1;
    it.type = left.needed_type();
    left.done();
    if (it.type.width() != 32 || !it.type.whole()) throw Wrong("it is for 32 bits");
    want_all(it, 3, it.type);
    it.run = [](Lane& l, const Instruction& at) {
        const auto limited = [&](uint32_t value) { return at.flag ? value & 31 : std::min(value, 32u); };
        const uint32_t a = l.get<uint32_t>(at[1]), bits = limited(l.get<uint32_t>(at[2]));
        const uint32_t ones = static_cast<uint32_t>((uint64_t{1} << bits) - 1);
        if (mask) return l.set(at[0], static_cast<uint32_t>(uint64_t{ones} << limited(a)));
        const bool is_negative = at.type.kind == Kind::Signed && bits > 0 && (a >> (bits - 1) & 1);
        l.set(at[0], is_negative ? a | ~ones : a & ones);
    };
}

// shf.l.wrap.b32 d, low, high, by: 32 of 64 bits
void prepare_funnel(Instruction& it) {
    Modifiers left(it);
    it.flag = left.take_one({"r", "l"}) == 1;
    it.choice = left.take_one({"wrap", "clamp"});
    it.type = left.needed_type();
    left.done();
    if (it.choice < 0 || it.type.width() != 32) throw Wrong("it is shf.l or shf.r, .wrap or .clamp, of 32 bits");
    want_all(it, 4, it.type);
    it.run = [](Lane& l, const Instruction& at) {
        const uint32_t wanted = l.get<uint32_t>(at[3]);
        const uint32_t by = at.choice == 0 ? wanted & 31 : std::min(wanted, 32u);
        const uint64_t both = uint64_t{l.get<uint32_t>(at[2])} << 32 | l.get<uint32_t>(at[1]);
        l.set(at[0], static_cast<uint32_t>(at.flag ? both << by >> 32 : both >> by));
    };
}

// ---- one operand ----

template <class F> void prepare_count(Instruction& it, F) {
    const Type type = needed_bits(it);
    want_operands(it, 2);
    want_register(it[0], {Kind::Unsigned, 32, 1});
    want_value(it[1], type);
    it.run = pick_whole(type, [](auto zero) -> Instruction::Run {
        using T = std::make_unsigned_t<decltype(zero)>;
        return [](Lane& l, const Instruction& at) { l.set(at[0], static_cast<uint32_t>(F{}(l.get<T>(at[1])))); };
    });
}
void prepare_popc(Instruction& it) { prepare_count(it, [](auto bits) { return std::popcount(bits); }); }
void prepare_clz(Instruction& it) { prepare_count(it, [](auto bits) { return std::countl_zero(bits); }); }

void prepare_brev(Instruction& it) {
    const Type type = needed_bits(it);
    want_all(it, 2, type);
    it.run = [](Lane& l, const Instruction& at) {
        uint64_t bits = l.bits(at[1]), result = 0;
        for (unsigned i = 0; i < at.type.width(); ++i, bits >>= 1) result = result << 1 | (bits & 1);
        l.set(at[0], result);
    };
}

void prepare_cnot(Instruction& it) {
    const Type type = needed_bits(it);
    want_all(it, 2, type);
    it.run = [](Lane& l, const Instruction& at) { l.set(at[0], uint64_t{l.bits(at[1]) == 0}); };
}

// The place of the highest bit that differs from the sign; .shiftamt: how far to shift it up.
void prepare_bfind(Instruction& it) {
    Modifiers left(it);
    it.flag = left.take("shiftamt");
    it.type = left.needed_type();
    left.done();
    want_operands(it, 2);
    want_register(it[0], {Kind::Unsigned, 32, 1});
    want_value(it[1], it.type);
    it.run = pick_whole(it.type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const T value = l.get<T>(at[1]);
            const auto bits = static_cast<std::make_unsigned_t<T>>(std::is_signed_v<T> && value < 0 ? ~value : value);
            const int above = std::countl_zero(bits), width = 8 * sizeof(T);
            l.set(at[0], bits == 0 ? ~0u : static_cast<uint32_t>(at.flag ? above : width - 1 - above));
        };
    });
}

// fns.b32 d, mask, base, offset
void prepare_fns(Instruction& it) {
    if (!(needed_bits(it) == Type{Kind::Bits, 32, 1})) throw Wrong("fns is of .b32");
    want_all(it, 4, it.type);
    it.run = [](Lane& l, const Instruction& at) {
        l.set(at[0], __fns(l.get<uint32_t>(at[1]), l.get<uint32_t>(at[2]), l.get<int32_t>(at[3])));
    };
}

// ---- fields ----

void prepare_bfe(Instruction& it) {
    const Type type = needed_bits(it);
    want_operands(it, 4);
    want_register(it[0], type);
    want_value(it[1], type);
    for (const std::size_t i : {2, 3}) want_value(it[i], {Kind::Unsigned, 32, 1});
    it.run = pick_whole(type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const uint32_t known = sizeof(T) == 4 ? 0xff : ~0u;   // bits of the operands that a GPU looks at
            const unsigned width = 8 * sizeof(T), from = std::min(l.get<uint32_t>(at[2]) & known, 256u), bits = std::min(l.get<uint32_t>(at[3]) & known, 256u);
            const auto value = static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(l.get<T>(at[1])));
            const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
            uint64_t field = from >= width ? 0 : value >> from & mask;
            const unsigned end = std::min(from + bits, width), taken = end - std::min(from, end);   // bits that there are
            const bool sign = std::is_signed_v<T> && bits > 0 && (value >> (std::min(from + bits, width) - 1) & 1);
            if (sign && taken < 64) field |= ~uint64_t{0} << taken;   // which fills the rest
            l.set(at[0], static_cast<T>(field));
        };
    });
}

void prepare_bfi(Instruction& it) {
    const Type type = needed_bits(it);
    want_operands(it, 5);
    want_register(it[0], type);
    for (const std::size_t i : {1, 2}) want_value(it[i], type);
    for (const std::size_t i : {3, 4}) want_value(it[i], {Kind::Unsigned, 32, 1});
    it.run = pick_whole(type, [](auto zero) -> Instruction::Run {
        using T = std::make_unsigned_t<decltype(zero)>;
        return [](Lane& l, const Instruction& at) {
            const uint32_t known = sizeof(T) == 4 ? 0xff : ~0u;
            const unsigned from = std::min(l.get<uint32_t>(at[3]) & known, 256u), bits = std::min(l.get<uint32_t>(at[4]) & known, 256u);
            const uint64_t ones = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, mask = from >= 64 ? 0 : ones << from;
            const uint64_t field = from >= 64 ? 0 : uint64_t{l.get<T>(at[1])} << from;
            l.set(at[0], static_cast<T>((uint64_t{l.get<T>(at[2])} & ~mask) | (field & mask)));
        };
    });
}

// Any function of three bits: the table's bit for a, b and c (PTX ISA, "lop3").
void prepare_lop3(Instruction& it) {
    needed_bits(it);
    if (it.type.width() != 32) throw Wrong("it is for .b32");
    want_all(it, 5, it.type);
    it.run = [](Lane& l, const Instruction& at) {
        const uint32_t a = l.get<uint32_t>(at[1]), b = l.get<uint32_t>(at[2]), c = l.get<uint32_t>(at[3]), table = l.get<uint32_t>(at[4]);
        uint32_t result = 0;
        for (unsigned row = 0; row < 8; ++row)
            if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
        l.set(at[0], result);
    };
}

// Four bytes of eight, each chosen by four bits: 3 for its number, the highest to fill it with the byte's sign.
uint32_t permuted(uint64_t bytes, uint32_t selector) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const uint32_t choice = selector >> 4 * i & 15;
        uint32_t byte = static_cast<uint32_t>(bytes >> 8 * (choice & 7)) & 0xff;
        if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

void prepare_prmt(Instruction& it) {
    Modifiers left(it);
    it.type = left.needed_type();
    it.choice = left.take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    left.done();
    want_all(it, 4, it.type);
    it.run = [](Lane& l, const Instruction& at) {
        static constexpr uint32_t modes[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
                                                 {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
        const uint64_t bytes = uint64_t{l.get<uint32_t>(at[2])} << 32 | l.get<uint32_t>(at[1]);
        const uint32_t selector = l.get<uint32_t>(at[3]);
        l.set(at[0], permuted(bytes, at.choice < 0 ? selector : modes[at.choice][selector & 3]));
    };
}

// ---- sums of products of bytes ----

template <int count> void prepare_dot(Instruction& it) {
    Modifiers left(it);
    it.choice = count == 2 ? left.take_one({"lo", "hi"}) : 0;
    it.type = left.needed_type();
    it.from = left.needed_type();
    left.done();
    if (it.choice < 0 || !it.type.whole() || it.type.width() != 32 || it.from.width() != 32) throw Wrong("its types are .u32 or .s32");
    want_all(it, 4, it.type);
    it.run = [](Lane& l, const Instruction& at) {
        const auto part = [](uint32_t word, int i, int bits, bool is_signed) {
            const uint32_t field = word >> bits * i & ((1u << bits) - 1);
            return is_signed ? static_cast<int32_t>(field << (32 - bits)) >> (32 - bits) : static_cast<int32_t>(field);
        };
        const uint32_t a = l.get<uint32_t>(at[1]), b = l.get<uint32_t>(at[2]);
        uint32_t sum = l.get<uint32_t>(at[3]);
        for (int i = 0; i < count; ++i)
            sum += static_cast<uint32_t>(part(a, i, 32 / count, at.type.kind == Kind::Signed) * part(b, i + 2 * at.choice, 8, at.from.kind == Kind::Signed));
        l.set(at[0], sum);
    };
}

void prepare_sad(Instruction& it) {
    const Type type = needed_bits(it);
    want_all(it, 4, type);
    it.run = pick_whole(type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const T a = l.get<T>(at[1]), b = l.get<T>(at[2]);
            const auto difference = a > b ? Wraps<T>(a) - Wraps<T>(b) : Wraps<T>(b) - Wraps<T>(a);
            l.set(at[0], static_cast<T>(Wraps<T>(l.get<T>(at[3])) + difference));
        };
    });
}

}  // namespace

void add_bits(Table& table) {
    table.insert({{"and", prepare_logic<And>}, {"or", prepare_logic<Or>}, {"xor", prepare_logic<Xor>}, {"not", prepare_logic<Not>}, {"cnot", prepare_cnot},
                  {"shl", prepare_shift<true>}, {"shr", prepare_shift<false>}, {"shf", prepare_funnel}, {"popc", prepare_popc}, {"clz", prepare_clz},
                  {"brev", prepare_brev}, {"bfind", prepare_bfind}, {"fns", prepare_fns}, {"bfe", prepare_bfe}, {"bfi", prepare_bfi}, {"lop3", prepare_lop3},
                  {"prmt", prepare_prmt}, {"szext", prepare_extension<false>}, {"bmsk", prepare_extension<true>}, {"dp4a", prepare_dot<4>}, {"dp2a", prepare_dot<2>}, {"sad", prepare_sad}});
}

}  // namespace ladder::ptx
