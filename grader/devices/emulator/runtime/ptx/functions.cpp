// Functions of floats: ex2, lg2, rcp, sqrt, rsqrt, sin, cos, tanh, copysign, testp. What a GPU approximates is exact here, but
// for its last digit.
#include <cmath>

#include "numbers.h"
#include "opcodes.h"

namespace ladder::ptx {

namespace {

using Function = double (*)(double);

Function function_of(std::string_view name) {
    if (name.starts_with("ex2")) return [](double x) { return std::exp2(x); };
    if (name.starts_with("lg2")) return [](double x) { return std::log2(x); };
    if (name.starts_with("rcp")) return [](double x) { return 1 / x; };
    if (name.starts_with("rsqrt")) return [](double x) { return 1 / std::sqrt(x); };
    if (name.starts_with("sqrt")) return [](double x) { return std::sqrt(x); };
    if (name.starts_with("sin")) return [](double x) { return std::sin(x); };
    if (name.starts_with("cos")) return [](double x) { return std::cos(x); };
    return [](double x) { return std::tanh(x); };
}

// In a rounding mode: sqrt.rn, rcp.rz and so on.
template <class T> T rounded(const Instruction& at, T value) {
    if (at.name.starts_with("sqrt")) return in_mode<T>(mode_of(at.rounding), 'r', value);
    return in_mode<T>(mode_of(at.rounding), '/', T{1}, value);
}

void prepare_function(Instruction& it) {
    Modifiers left(it);
    it.rounding = left.take_one({"rn", "rz", "rm", "rp"});
    left.take("approx");
    it.flushes = left.take("ftz");
    it.type = left.needed_type();
    left.done();
    want_all(it, 2, it.type);
    it.extra = reinterpret_cast<std::uint64_t>(function_of(it.name));
    if (is_narrow(it.type)) {
        it.run = [](Lane& l, const Instruction& at) {
            const auto function = reinterpret_cast<Function>(at.extra);
            const auto result = each_narrow(at, l.get<std::uint32_t>(at[1]), 0, 0, [&](double a, double, double) { return function(a); });
            if (at.type.elements == 2) l.set(at[0], result);
            else l.set(at[0], static_cast<std::uint16_t>(result));
        };
        return;
    }
    it.run = pick_float(it.type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) {
            const T given = l.get<T>(at[1]), value = at.flushes ? flushed(given) : given;
            const T result = at.rounding >= 0 ? rounded(at, value) : static_cast<T>(reinterpret_cast<Function>(at.extra)(value));
            l.set(at[0], canonical(at.flushes ? flushed(result) : result));
        };
    });
}

// copysign.f32 d, a, b: a's sign, b's value
void prepare_copysign(Instruction& it) {
    Modifiers left(it);
    it.type = left.needed_type();
    left.done();
    want_all(it, 3, it.type);
    it.run = pick_float(it.type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) { l.set(at[0], std::copysign(l.get<T>(at[2]), l.get<T>(at[1]))); };
    });
}

template <class T> bool has_property(int which, T value) {
    switch (which) {
        case 0: return std::isfinite(value);
        case 1: return std::isinf(value);
        case 2: return !std::isnan(value);
        case 3: return std::isnan(value);
        case 4: return std::isnormal(value) || value == 0;
        default: return std::fpclassify(value) == FP_SUBNORMAL;
    }
}

void prepare_testp(Instruction& it) {
    Modifiers left(it);
    it.choice = left.take_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    it.type = left.needed_type();
    left.done();
    if (it.choice < 0) throw Wrong("it needs a property, as .finite");
    want_operands(it, 2);
    want_predicate(it[0]);
    want_value(it[1], it.type);
    it.run = pick_float(it.type, [](auto zero) -> Instruction::Run {
        using T = decltype(zero);
        return [](Lane& l, const Instruction& at) { l.set(at[0], std::uint64_t{has_property(at.choice, l.get<T>(at[1]))}); };
    });
}

}  // namespace

void add_functions(Table& table) {
    for (const char* const name : {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"}) table.emplace(name, prepare_function);
    table.insert({{"copysign", prepare_copysign}, {"testp", prepare_testp}});
}

}  // namespace ladder::ptx
