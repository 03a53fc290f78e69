// Types, modifiers and operands, as the instructions' own files ask for them.
#include "program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace ladder::ptx {

Type type_named(std::string_view name) {
    static constexpr std::pair<std::string_view, Kind> kinds[] = {
        {"bf", Kind::Brain}, {"tf", Kind::Tensor}, {"b", Kind::Bits}, {"u", Kind::Unsigned}, {"s", Kind::Signed}, {"f", Kind::Float}};
    if (name == "pred") return {Kind::Predicate, 1, 1};
    const bool pair = name.size() > 2 && name.substr(name.size() - 2) == "x2";
    const std::uint8_t elements = pair ? 2 : 1;
    const std::string_view one = pair ? name.substr(0, name.size() - 2) : name;
    if (one == "e4m3") return {Kind::E4M3, 8, elements};
    if (one == "e5m2") return {Kind::E5M2, 8, elements};
    for (const auto& [prefix, kind] : kinds) {
        if (one.substr(0, prefix.size()) != prefix) continue;
        static constexpr std::array<std::pair<std::string_view, std::uint8_t>, 6> widths = {{{"8", 8}, {"16", 16}, {"19", 19}, {"32", 32}, {"64", 64}, {"128", 128}}};
        const auto found = std::find_if(widths.begin(), widths.end(), [&](const auto& width) { return width.first == one.substr(prefix.size()); });
        if (found == widths.end() || found->second == 19) return {};
        return {kind, found->second, elements};
    }
    return {};
}

// ---- modifiers ----

bool Modifiers::take(std::string_view name) {
    const auto found = std::find(left_.begin(), left_.end(), name);
    if (found == left_.end()) return false;
    left_.erase(found);
    return true;
}

int Modifiers::take_one(std::initializer_list<std::string_view> names) {
    int number = 0;
    for (const std::string_view name : names) {
        if (take(name)) return number;
        ++number;
    }
    return -1;
}

Type Modifiers::type() {
    const Type found = left_.empty() ? Type{} : type_named(left_.front());
    if (found) left_.erase(left_.begin());
    return found;
}

Type Modifiers::needed_type() {
    if (const Type found = type()) return found;
    throw Wrong(left_.empty() ? "its type is missing, as in `.u32`" : "`." + std::string(left_.front()) + "` is not emulated here");
}

void Modifiers::drop_caching() {
    static constexpr std::string_view hints[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"};
    std::erase_if(left_, [](std::string_view each) {
        return each.substr(0, 4) == "L1::" || each.substr(0, 4) == "L2::" || std::find(std::begin(hints), std::end(hints), each) != std::end(hints);
    });
}

void Modifiers::done() const {
    if (!left_.empty()) throw Wrong("`." + std::string(left_.front()) + "` is not emulated here");
}

// ---- operands ----

namespace {

std::string in_words(const Operand& operand) {
    switch (operand.form) {
        case Operand::Form::Register: return operand.type.kind == Kind::Predicate ? "a predicate" : "a register of " + std::to_string(operand.type.width()) + " bits";
        case Operand::Form::Number: return "a number";
        case Operand::Form::Address: return "an address";
        case Operand::Form::Vector: return "a vector of " + std::to_string(operand.parts.size());
        case Operand::Form::Pair: return "a pair";
        case Operand::Form::Special: return "a special register";
        case Operand::Form::Label: return "`" + operand.name + "`";
        default: return "`_`";
    }
}

[[noreturn]] void mismatch(const Operand& operand, const std::string& wanted) { throw Wrong("an operand is " + in_words(operand) + " where " + wanted + " is wanted"); }

std::string bits_of(unsigned width) { return "one of " + std::to_string(width) + " bits"; }

bool is_register(const Operand& operand) { return operand.form == Operand::Form::Register && operand.type.kind != Kind::Predicate; }

// A number's bits in an instruction of this type: 1.5 and 0d3ff8000000000000 are also given to floats.
void number_as(Operand& operand, Type type) {
    const bool floating = type.kind == Kind::Float && type.elements == 1 && type.bits >= 32;
    if (operand.exact && operand.type.width() == type.width()) return;
    if (!operand.exact && !operand.real) {
        if (floating && operand.value != 0) throw Wrong("a whole number is given where one with a point is wanted, as 1.0");
        return;
    }
    if (!floating) throw Wrong("a number with a point is given where a whole one is wanted");
    double value = 0;
    if (operand.exact && operand.type.width() == 32) {
        float single;
        std::memcpy(&single, &operand.value, sizeof single);
        value = single;
    } else {
        std::memcpy(&value, &operand.value, sizeof value);
    }
    const auto single = static_cast<float>(value);
    operand.value = 0;
    if (type.bits == 32) std::memcpy(&operand.value, &single, sizeof single);
    else std::memcpy(&operand.value, &value, sizeof value);
    operand.real = operand.exact = false;
}

}  // namespace

void want_operands(const Instruction& instruction, std::size_t least, std::size_t most) {
    const std::size_t count = instruction.operands.size();
    if (count >= least && count <= std::max(least, most)) return;
    throw Wrong("it has " + std::to_string(count) + (count == 1 ? " operand" : " operands") + " where " + std::to_string(least) +
                (most > least ? " to " + std::to_string(most) : "") + (std::max(least, most) == 1 ? " is wanted" : " are wanted"));
}

void want_register(const Operand& operand, Type type) {
    if (operand.form == Operand::Form::Nothing) return;
    if (!is_register(operand) || operand.type.width() != type.width()) mismatch(operand, bits_of(type.width()));
}

void want_value(Operand& operand, Type type) {
    if (operand.form == Operand::Form::Number) return number_as(operand, type);
    if (operand.form == Operand::Form::Special && operand.type.width() == type.width()) return;
    if (!is_register(operand) || operand.type.width() != type.width()) mismatch(operand, bits_of(type.width()));
}

void want_wide_enough(Operand& operand, Type type) {
    if (operand.form == Operand::Form::Nothing) return;
    if (operand.form == Operand::Form::Number) return number_as(operand, type);
    const bool special = operand.form == Operand::Form::Special;
    if ((!is_register(operand) && !special) || operand.type.width() < type.width()) mismatch(operand, "one of at least " + std::to_string(type.width()) + " bits");
}

void want_predicate(const Operand& operand) {
    if (operand.form == Operand::Form::Register && operand.type.kind == Kind::Predicate) return;
    if (operand.form == Operand::Form::Number || operand.form == Operand::Form::Nothing) return;
    mismatch(operand, "a predicate");
}

void want_address(const Operand& operand) {
    if (operand.form != Operand::Form::Address) mismatch(operand, "an address in brackets");
}

void want_vector(Operand& operand, std::size_t parts, Type type) {
    const bool one = parts == 1 && operand.form != Operand::Form::Vector;
    if (!one && (operand.form != Operand::Form::Vector || operand.parts.size() != parts)) mismatch(operand, "a vector of " + std::to_string(parts));
    if (one) return want_value(operand, type);
    for (Operand& part : operand.parts) want_value(part, type);
}

}  // namespace ladder::ptx
