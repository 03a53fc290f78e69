// Reads the text of an asm statement: statements, labels, guards, registers, scopes, operands (PTX ISA, "Syntax").
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>

#include "program.h"
#include "special.h"

namespace ladder::ptx {

namespace {

struct Register { int slot; Type type; };

// The names that a `{ }` has; those of the text itself are in the first.
struct Scope {
    std::map<std::string, Register> registers;
    std::map<std::string, std::size_t> labels;
    std::vector<std::size_t> jumps;      // instructions that name a label, from this scope or one in it
};

bool computes(std::string_view name);

class Reader {
public:
    Reader(std::string_view text, Program& program) : text_(text), program_(program) {}

    void read() {
        scopes_.emplace_back();
        while (skip_space(), at_ < text_.size()) statement();
        name_.clear();
        if (scopes_.size() > 1) throw Wrong("a `{` is never closed");
        close_scope();
    }
    const std::string& instruction() const { return name_; }

private:
    // ---- characters ----
    char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    static bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }
    static bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

    void skip_space() {
        for (;; ++at_) {
            if (text_.substr(at_, 2) == "//") at_ = std::min(text_.find('\n', at_), text_.size() - 1);
            else if (text_.substr(at_, 2) == "/*") at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 1;
            else if (at_ >= text_.size() || !std::isspace(static_cast<unsigned char>(text_[at_]))) return;
        }
    }
    bool take(char c) {
        skip_space();
        if (here() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) throw Wrong(std::string("a `") + c + "` is missing" + (at_ < text_.size() ? std::string(" before `") + shown() + "`" : " at the end"));
    }
    // What stands here, for a message: an operand by its number.
    std::string shown() const {
        if (here() == operand_mark) return "%" + std::to_string(std::atoi(text_.data() + at_ + 1));
        return std::string(text_.substr(at_, std::min<std::size_t>(text_.find_first_of(" \t\n;,", at_), text_.size()) - at_)).substr(0, 20);
    }
    std::string name() {
        skip_space();
        const std::size_t begin = at_;
        if (begins_name(here())) ++at_;
        while (in_name(here())) ++at_;
        if (begin == at_) throw Wrong(at_ < text_.size() ? "a name is missing before `" + shown() + "`" : "it ends too early");
        return std::string(text_.substr(begin, at_ - begin));
    }

    // ---- statements ----
    void statement() {
        name_.clear();
        if (take(';')) return;
        if (take('{')) return void(scopes_.emplace_back());
        if (take('}')) {
            if (scopes_.size() == 1) throw Wrong("a `}` closes nothing");
            return close_scope();
        }
        if (here() == '.') return directive();
        if (here() == '@') return instruction_at();
        const std::size_t begin = at_;
        const std::string word = name();
        skip_space();
        if (here() == ':' && here(1) != ':') {
            ++at_;
            if (!scopes_.back().labels.emplace(word, program_.instructions.size()).second) throw Wrong("the label `" + word + "` is there twice");
            return;
        }
        at_ = begin;
        instruction_at();
    }

    void directive() {
        ++at_;
        const std::string word = name();
        if (word == "reg") return registers();
        if (word == "pragma") {
            at_ = std::min(text_.find(';', at_), text_.size());
            return expect(';');
        }
        throw Wrong("`." + word + "` is not emulated in inline PTX");
    }

    // .reg .b32 a, b<4>;
    void registers() {
        expect('.');
        const std::string word = name();
        const Type type = type_named(word);
        if (!type) throw Wrong("`." + word + "` is no type of a register");
        do {
            const std::string first = name();
            if (!take('<')) {
                declare(first, type);
                continue;
            }
            const long count = number().value;
            expect('>');
            if (count < 0 || count > 1024) throw Wrong("`" + first + "<" + std::to_string(count) + ">` are too many registers");
            for (long i = 0; i < count; ++i) declare(first + std::to_string(i), type);
        } while (take(','));
        expect(';');
    }
    void declare(const std::string& name, Type type) {
        if (!scopes_.back().registers.emplace(name, Register{static_cast<int>(program_.slots.size()), type}).second)
            throw Wrong("the register `" + name + "` is there twice");
        program_.slots.push_back(type);
    }

    void instruction_at() {
        Instruction instruction;
        if (take('@')) {
            const bool negated = take('!');
            instruction.guard = operand();
            want_predicate(instruction.guard);
            instruction.guard.negated = negated;
        }
        opcode(instruction);
        while (!take(';')) {
            if (!instruction.operands.empty()) expect(',');
            instruction.operands.push_back(operand());
            if (instruction.operands.size() == 1 && take('|')) pair(instruction.operands[0]);
        }
        instruction.place = static_cast<unsigned>(program_.instructions.size());
        std::size_t length = 0;
        const Prepare prepare = opcode_named(name_, &length);
        if (!prepare) throw Wrong("");
        instruction.name = name_;
        instruction.computes = computes(name_);
        for (std::size_t begin = length; begin < name_.size();) {
            std::size_t end = std::min(name_.find('.', begin + 1), name_.size());
            instruction.modifiers.push_back(name_.substr(begin + 1, end - begin - 1));
            begin = end;
        }
        prepare(instruction);
        for (const Operand& each : instruction.operands)
            if (each.form == Operand::Form::Label) scopes_.back().jumps.push_back(program_.instructions.size());
        program_.instructions.push_back(std::move(instruction));
    }
    void opcode(Instruction&) {
        skip_space();
        const std::size_t begin = at_;
        if (!begins_name(here())) name();   // which says what is wrong
        while (in_name(here()) || here() == '.' || (here() == ':' && here(1) == ':') || (here() == ':' && text_[at_ - 1] == ':')) ++at_;
        name_ = std::string(text_.substr(begin, at_ - begin));
    }
    void pair(Operand& first) {
        Operand both;
        both.form = Operand::Form::Pair;
        both.parts = {first, operand()};
        first = std::move(both);
    }

    // ---- operands ----
    Operand operand() {
        skip_space();
        const char c = here();
        if (c == '!') {
            ++at_;
            Operand found = operand();
            found.negated = !found.negated;
            return found;
        }
        if (c == '[') return address();
        if (c == '{') return vector();
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '(') return number();
        if (c == operand_mark) return argument();
        return named(name());
    }

    Operand argument() {
        const int number = static_cast<int>(std::strtol(text_.data() + at_ + 1, nullptr, 10));
        at_ = std::min(text_.find(operand_end, at_), text_.size() - 1) + 1;
        return of_register({number, program_.slots[static_cast<std::size_t>(number)]});
    }
    static Operand of_register(Register its) {
        Operand found;
        found.form = Operand::Form::Register;
        found.slot = its.slot;
        found.type = its.type;
        return found;
    }

    Operand named(const std::string& word) {
        if (word == "_") return {};
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
            if (const auto found = scope->registers.find(word); found != scope->registers.end()) return of_register(found->second);
        Operand found;
        if (word[0] != '%') {
            if (word == "WARP_SZ") return number_of(32);
            found.form = Operand::Form::Label;
            found.name = word;
            return found;
        }
        std::string whole = word.substr(1);
        if (here() == '.') {
            ++at_;
            whole += "." + name();
        }
        found.form = Operand::Form::Special;
        if (!special_named(whole, &found)) throw Wrong("there is no register `%" + whole + "`");
        return found;
    }

    static Operand number_of(std::int64_t value) {
        Operand found;
        found.form = Operand::Form::Number;
        found.value = value;
        return found;
    }

    // 1, -0x10, 0f3f800000, 1.5, and what whole numbers make, as (0xf0 & 0xcc) | 0xaa; the operator binds as in C
    Operand number(int least = 1) {
        Operand left = factor();
        for (;;) {
            skip_space();
            static constexpr std::string_view operators[] = {"|", "^", "&", "<<", ">>", "+", "-", "*", "/", "%"};
            static constexpr int binds[] = {1, 2, 3, 4, 4, 5, 5, 6, 6, 6};
            std::size_t which = 0;
            while (which < std::size(operators) && text_.substr(at_, operators[which].size()) != operators[which]) ++which;
            if (which == std::size(operators) || binds[which] < least) return left;
            at_ += operators[which].size();
            left.value = computed(which, static_cast<std::uint64_t>(left.value), static_cast<std::uint64_t>(number(binds[which] + 1).value));
        }
    }
    static std::int64_t computed(std::size_t which, std::uint64_t a, std::uint64_t b) {
        if (which >= 8 && b == 0) throw Wrong("a number is divided by 0");
        const std::uint64_t results[] = {a | b, a ^ b, a & b, b < 64 ? a << b : 0, b < 64 ? a >> b : 0, a + b, a - b, a * b, b ? a / b : 0, b ? a % b : 0};
        return static_cast<std::int64_t>(results[which]);
    }
    Operand factor() {
        if (take('(')) {
            const Operand inner = number();
            expect(')');
            return inner;
        }
        bool minus = false;
        for (skip_space(); here() == '-' || here() == '+'; skip_space()) minus ^= text_[at_++] == '-';
        Operand found = number_of(0);
        const std::size_t begin = at_;
        while (std::isalnum(static_cast<unsigned char>(here())) || here() == '.' || ((here() == '-' || here() == '+') && is_exponent(begin))) ++at_;
        const std::string digits(text_.substr(begin, at_ - begin));
        if (digits.empty() || !std::isdigit(static_cast<unsigned char>(digits[0]))) throw Wrong("a number is missing before `" + shown() + "`");
        const char kind = digits.size() > 1 ? static_cast<char>(std::tolower(digits[1])) : '\0';
        char* end = nullptr;
        if (kind == 'f' || kind == 'd') {
            found.exact = true;
            found.type = type_named(kind == 'f' ? "f32" : "f64");
            found.value = static_cast<std::int64_t>(std::strtoull(digits.c_str() + 2, &end, 16));
        } else if (kind != 'x' && digits.find_first_of(".eE") != std::string::npos) {
            found.real = true;
            const double value = std::strtod(digits.c_str(), &end) * (minus ? -1 : 1);
            std::memcpy(&found.value, &value, sizeof value);
            return found;
        } else {
            const bool binary = kind == 'b';
            found.value = static_cast<std::int64_t>(std::strtoull(digits.c_str() + (binary ? 2 : 0), &end, binary ? 2 : 0));
        }
        if (*end && std::string_view(end) != "U") throw Wrong("`" + digits + "` is no number");
        if (minus) found.value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(found.value));
        return found;
    }
    bool is_exponent(std::size_t begin) const {
        const std::string_view sofar = text_.substr(begin, at_ - begin);
        return sofar.find('.') != sofar.npos && (sofar.back() == 'e' || sofar.back() == 'E');
    }

    // [base], [base + 16], [16], [base, {coordinates}]
    Operand address() {
        ++at_;
        Operand found;
        found.form = Operand::Form::Address;
        const Operand base = operand();
        if (base.form == Operand::Form::Number) {
            found.value = base.value;
        } else if (base.form == Operand::Form::Register && base.type.kind != Kind::Predicate) {
            found.slot = base.slot;
            found.type = base.type;
            skip_space();
            if (here() == '+' || here() == '-') found.value = number().value;
        } else {
            throw Wrong("an address is a register and a number: [%0 + 16]");
        }
        while (take(',')) found.parts.push_back(operand());
        expect(']');
        return found;
    }

    Operand vector() {
        ++at_;
        Operand found;
        found.form = Operand::Form::Vector;
        do found.parts.push_back(operand());
        while (take(','));
        expect('}');
        return found;
    }

    // Jumps go to labels of their own scope, or of one around it.
    void close_scope() {
        Scope scope = std::move(scopes_.back());
        scopes_.pop_back();
        for (const std::size_t number : scope.jumps)
            for (Operand& operand : program_.instructions[number].operands) {
                if (operand.form != Operand::Form::Label) continue;
                const auto found = scope.labels.find(operand.name);
                if (found != scope.labels.end()) {
                    operand.value = static_cast<std::int64_t>(found->second);
                } else if (!scopes_.empty()) {
                    scopes_.back().jumps.push_back(number);
                } else {
                    name_ = program_.instructions[number].name;
                    throw Wrong("there is no register and no label `" + operand.name + "`");
                }
            }
    }

    std::string_view text_;
    Program& program_;
    std::size_t at_ = 0;
    std::vector<Scope> scopes_;
    std::string name_;                   // of the instruction that is read
};

// Those that have a price where they compute with floats, or divide (ptx_prices.py).
bool computes(std::string_view name) {
    static constexpr std::string_view operations[] = {"abs", "add", "cos", "cvt", "div", "ex2", "fma", "lg2", "mad", "mul", "neg", "rcp", "rem", "rsqrt", "sin", "slct", "sqrt", "sub", "tanh"};
    const bool floats = name.find(".f") != name.npos || name.find(".bf") != name.npos;
    const std::string_view operation = name.substr(0, name.find('.'));
    return (floats || operation == "div" || operation == "rem") && std::find(std::begin(operations), std::end(operations), operation) != std::end(operations);
}

// A single instruction is part of the code around it.
void mark_blocks(std::vector<Instruction>& all) {
    const auto begin = [&](std::size_t number) {
        if (number < std::min<std::size_t>(all.size(), counted_instructions)) all[number].begins = true;
    };
    if (all.size() > 1) begin(0);
    for (const Instruction& each : all)
        for (const Operand& operand : each.operands)
            if (operand.form == Operand::Form::Label) begin(static_cast<std::size_t>(operand.value)), begin(each.place + 1u);
}

// What to do about an instruction that is not there. Of those of 9.0 see first_lines.py, too.
std::string instead(const std::string& instruction) {
    for (const std::string_view first : {"wgmma", "setmaxnreg", "tensormap", "multimem", "cp.async.bulk"})
        if (instruction.substr(0, first.size()) == first) return "give `#if __CUDA_ARCH__ >= 900` around it an #else with another way, which is taken here";
    return "docs/cuda.md lists the PTX that is";
}

}  // namespace

Program Program::read(std::string_view text, const std::vector<Type>& operands) {
    Program program;
    program.slots = operands;
    Reader reader(text, program);
    try {
        reader.read();
        mark_blocks(program.instructions);
    } catch (const Wrong& wrong) {
        const std::string why = wrong.what();
        if (reader.instruction().empty()) program.error = "inline PTX: " + why;
        else if (why.empty()) program.error = "`" + reader.instruction() + "` is not emulated: " + instead(reader.instruction());
        else program.error = "`" + reader.instruction() + "`: " + why;
    }
    return program;
}

}  // namespace ladder::ptx
