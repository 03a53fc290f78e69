// mov, setp, set, selp, slct, bra and others that only move values, or decide.
#include <cmath>

#include "numbers.h"
#include "opcodes.h"

namespace ladder::ptx {

namespace {

// mov takes a register apart into a vector, or makes it of one.
void prepare_mov(Instruction& it) {
    Modifiers left(it);
    it.type = left.needed_type();
    left.done();
    want_operands(it, 2);
    if (it.type.kind == Kind::Predicate) {
        want_predicate(it[0]);
        want_predicate(it[1]);
        it.run = [](Lane& l, const Instruction& at) { l.set(at[0], std::uint64_t{l.predicate(at[1])}); };
        return;
    }
    const bool unpacks = it[0].form == Operand::Form::Vector, packs = it[1].form == Operand::Form::Vector;
    if (!unpacks && !packs) {
        want_register(it[0], it.type);
        want_value(it[1], it.type);
        it.run = [](Lane& l, const Instruction& at) {
            const std::uint64_t bits = l.bits(at[1]);
            l.set(at[0], at.type.width() == 64 ? bits : bits & ((std::uint64_t{1} << at.type.width()) - 1));
        };
        return;
    }
    Operand& vector = it[unpacks ? 0 : 1];
    if ((unpacks && packs) || it.type.width() % vector.parts.size() != 0) throw Wrong("a vector does not fit the type");
    it.extra = it.type.width() / vector.parts.size();
    const Type part{Kind::Bits, static_cast<std::uint8_t>(it.extra), 1};
    want_vector(vector, vector.parts.size(), part);
    if (unpacks) want_value(it[1], it.type);
    else want_register(it[0], it.type);
    it.run = unpacks ? [](Lane& l, const Instruction& at) {
        std::uint64_t bits = l.bits(at[1]);
        for (const Operand& each : at[0].parts) {
            l.set(each, bits & ((std::uint64_t{1} << at.extra) - 1));
            bits >>= at.extra;
        }
    } : [](Lane& l, const Instruction& at) {
        std::uint64_t bits = 0, shift = 0;
        for (const Operand& each : at[1].parts) {
            bits |= (l.bits(each) & ((std::uint64_t{1} << at.extra) - 1)) << shift;
            shift += at.extra;
        }
        l.set(at[0], bits);
    };
}

// ---- comparisons ----

constexpr std::string_view comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
enum Comparison { Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

template <class T> bool compares(int how, T a, T b) {
    const bool unordered = a != a || b != b;
    if (how >= Num) return unordered == (how == Nan);
    if (unordered) return how >= Equ;
    switch (how) {
        case Eq: case Equ: return a == b;
        case Ne: case Neu: return a != b;
        case Lt: case Lo: case Ltu: return a < b;
        case Le: case Ls: case Leu: return a <= b;
        case Gt: case Hi: case Gtu: return a > b;
        default: return a >= b;
    }
}

using Compare = bool (*)(const Lane&, const Instruction&, const Operand&, const Operand&);

template <class T> bool compare(const Lane& l, const Instruction& at, const Operand& a, const Operand& b) {
    T x = l.get<T>(a), y = l.get<T>(b);
    if constexpr (std::is_floating_point_v<T>)
        if (at.flushes) x = flushed(x), y = flushed(y);
    return compares(at.choice, x, y);
}
template <int shift> bool compare_narrow(const Lane& l, const Instruction& at, const Operand& a, const Operand& b) {
    const auto of = [&](const Operand& operand) { return widened(at.from.kind, static_cast<std::uint16_t>(l.bits(operand) >> shift)); };
    return compares(at.choice, of(a), of(b));
}

Compare comparing(Type type) {
    if (is_narrow(type)) return compare_narrow<0>;
    if (type.is(Kind::Float, 32)) return compare<float>;
    if (type.is(Kind::Float, 64)) return compare<double>;
    const bool is_signed = type.kind == Kind::Signed;
    switch (type.width()) {
        case 16: return is_signed ? compare<std::int16_t> : compare<std::uint16_t>;
        case 32: return is_signed ? compare<std::int32_t> : compare<std::uint32_t>;
        case 64: return is_signed ? compare<std::int64_t> : compare<std::uint64_t>;
        default: throw Wrong("this type is not compared");
    }
}

// The comparison, a logical operation with a predicate, the type that is compared. extra: the operation.
void prepare_comparison(Instruction& it, Modifiers& left) {
    it.choice = -1;
    for (int how = 0; how <= Nan && it.choice < 0; ++how)
        if (left.take(comparisons[how])) it.choice = how;
    if (it.choice < 0) throw Wrong("it needs a comparison, as .eq or .lt");
    it.extra = static_cast<std::uint64_t>(left.take_one({"and", "or", "xor"}) + 1);
    it.flushes = left.take("ftz");
}

bool combined(const Lane& l, const Instruction& at, bool found, std::size_t other) {
    switch (at.extra) {
        case 1: return found && l.predicate(at[other]);
        case 2: return found || l.predicate(at[other]);
        case 3: return found != l.predicate(at[other]);
        default: return found;
    }
}

void run_setp(Lane& l, const Instruction& at) {
    const bool found = comparing(at.from)(l, at, at[1], at[2]);
    if (at[0].form != Operand::Form::Pair) return l.set(at[0], std::uint64_t{combined(l, at, found, 3)});
    const bool second = at.from.elements == 2 ? compare_narrow<16>(l, at, at[1], at[2]) : !found;
    l.set(at[0].parts[0], std::uint64_t{combined(l, at, found, 3)});
    l.set(at[0].parts[1], std::uint64_t{combined(l, at, second, 3)});
}

void prepare_setp(Instruction& it) {
    Modifiers left(it);
    prepare_comparison(it, left);
    it.from = left.needed_type();
    left.done();
    want_operands(it, it.extra ? 4 : 3);
    if (it[0].form == Operand::Form::Pair) {
        for (const Operand& each : it[0].parts) want_predicate(each);
    } else {
        want_predicate(it[0]);
    }
    want_value(it[1], it.from);
    want_value(it[2], it.from);
    if (it.extra) want_predicate(it[3]);
    comparing(it.from);
    it.run = run_setp;
}

// set.lt.u32.f32 d, a, b: all ones, or 1.0 for a float
void prepare_set(Instruction& it) {
    Modifiers left(it);
    prepare_comparison(it, left);
    it.type = left.needed_type();
    it.from = left.needed_type();
    left.done();
    want_operands(it, it.extra ? 4 : 3);
    want_register(it[0], it.type);
    want_value(it[1], it.from);
    want_value(it[2], it.from);
    if (it.extra) want_predicate(it[3]);
    comparing(it.from);
    if (it.type.width() != 32) throw Wrong("it gives 32 bits");
    it.run = [](Lane& l, const Instruction& at) {
        const bool found = combined(l, at, comparing(at.from)(l, at, at[1], at[2]), 3);
        if (at.type.kind == Kind::Float) l.set(at[0], found ? 1.0f : 0.0f);
        else l.set(at[0], found ? ~0u : 0u);
    };
}

void prepare_selp(Instruction& it) {
    Modifiers left(it);
    it.type = left.needed_type();
    left.done();
    want_operands(it, 4);
    want_register(it[0], it.type);
    want_value(it[1], it.type);
    want_value(it[2], it.type);
    want_predicate(it[3]);
    it.run = [](Lane& l, const Instruction& at) { l.set(at[0], l.bits(at[l.predicate(at[3]) ? 1 : 2])); };
}

// slct.u32.s32 d, a, b, c: a if c is not negative
void prepare_slct(Instruction& it) {
    Modifiers left(it);
    it.flushes = left.take("ftz");
    it.type = left.needed_type();
    it.from = left.needed_type();
    left.done();
    want_operands(it, 4);
    want_register(it[0], it.type);
    want_value(it[1], it.type);
    want_value(it[2], it.type);
    want_value(it[3], it.from);
    if (!it.from.is(Kind::Signed, 32) && !it.from.is(Kind::Float, 32)) throw Wrong("it selects by .s32 or .f32");
    it.run = [](Lane& l, const Instruction& at) {
        const float by = at.from.kind != Kind::Float ? 0 : at.flushes ? flushed(l.get<float>(at[3])) : l.get<float>(at[3]);
        const bool first = at.from.kind == Kind::Float ? by >= 0 : l.get<std::int32_t>(at[3]) >= 0;
        l.set(at[0], l.bits(at[first ? 1 : 2]));
    };
}

// ---- going on elsewhere ----

void prepare_bra(Instruction& it) {
    Modifiers left(it);
    left.take("uni");
    left.done();
    want_operands(it, 1);
    if (it[0].form != Operand::Form::Label) throw Wrong("it goes to a label");
    it.run = [](Lane& l, const Instruction& at) {
        l.next = static_cast<std::size_t>(at[0].value);
        if (machine().out_of_time.load(std::memory_order_relaxed)) out_of_time(l.thread, l.place(at));
    };
}

void prepare_trap(Instruction& it) {
    want_operands(it, 0);
    it.run = [](Lane& l, const Instruction& at) { l.stop(at, "the kernel ends here"); };
}

void prepare_nanosleep(Instruction& it) {
    Modifiers left(it);
    it.type = left.needed_type();
    left.done();
    want_operands(it, 1);
    want_value(it[0], it.type);
    it.run = [](Lane& l, const Instruction&) { ladder_yield(l.line); };
}

void prepare_nothing(Instruction& it) {
    it.run = [](Lane&, const Instruction&) {};
}

void prepare_griddepcontrol(Instruction& it) {
    Modifiers left(it);
    const bool waits = left.take("wait");
    if (!waits && !left.take("launch_dependents")) throw Wrong("it is .wait or .launch_dependents");
    left.done();
    want_operands(it, 0);
    prepare_nothing(it);
    if (waits) it.run = [](Lane& l, const Instruction&) { await_dependency(l.thread); };
}

}  // namespace

void add_moves(Table& table) {
    table.insert({{"mov", prepare_mov}, {"setp", prepare_setp}, {"set", prepare_set}, {"selp", prepare_selp}, {"slct", prepare_slct}, {"bra", prepare_bra},
                  {"trap", prepare_trap}, {"nanosleep", prepare_nanosleep}, {"brkpt", prepare_nothing}, {"pmevent", prepare_nothing},
                  {"griddepcontrol", prepare_griddepcontrol}});
}

}  // namespace ladder::ptx
