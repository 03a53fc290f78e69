// The text of an asm statement, read once: its instructions, with operands that name slots of a lane's frame.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::ptx {

struct Lane;

enum class Kind : std::uint8_t { None, Bits, Unsigned, Signed, Float, Brain, Tensor, E4M3, E5M2, Predicate };   // .b .u .s .f .bf .tf

// ".f16x2" is {Float, 16, 2}: of as many elements, each of as many bits.
struct Type {
    Kind kind = Kind::None;
    std::uint8_t bits = 0, elements = 1;

    unsigned width() const { return unsigned{bits} * elements; }
    unsigned bytes() const { return width() / 8; }
    bool is(Kind of, unsigned width) const { return kind == of && bits == width && elements == 1; }
    bool whole() const { return elements == 1 && (kind == Kind::Bits || kind == Kind::Unsigned || kind == Kind::Signed); }
    explicit operator bool() const { return kind != Kind::None; }
    bool operator==(const Type&) const = default;
};
Type type_named(std::string_view name);   // "f16x2"; none: it is no type's

enum class Special : std::uint8_t;        // special.cpp

struct Operand {
    enum class Form : std::uint8_t { Register, Number, Address, Vector, Pair, Special, Label, Nothing };   // Pair: p|q; Nothing: _
    Form form = Form::Nothing;
    bool negated = false;                // of a predicate
    bool real = false;                   // a number with a point: its bits are a double's
    bool exact = false;                  // 0f3f800000, 0d...: the number's bits are those of its own type
    int slot = -1;                       // of a register, or of an address's base; -1: it has none
    Type type;                           // of a register, as it was declared
    std::int64_t value = 0;              // a number; what an address adds; of a label, the instruction there
    std::string name;                    // of a label
    std::vector<Operand> parts;          // of a vector or pair; of an address, the coordinates behind its base
};

constexpr unsigned counted_instructions = 127;   // of a text, each at a place of its own; all beyond these share one

struct Instruction {
    using Run = void (*)(Lane&, const Instruction&);

    std::string name;                    // as it is written: "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
    std::vector<std::string> modifiers;  // what follows the opcode's own name in it
    std::vector<Operand> operands;
    Operand guard;                       // @p; Nothing: it has none
    Run run = nullptr;                   // what one lane does
    unsigned place = 0;                  // the how manieth of the text's instructions it is
    bool begins = false;                 // a basic block: at the text's begin, behind a branch, or where one goes to
    bool computes = false;               // with floats, or divides: it is counted
    // What `prepare` has found out, for `run`.
    Type type, from;
    int choice = 0, rounding = 0;
    bool flag = false, saturates = false, flushes = false;
    std::uint64_t extra = 0;

    const Operand& operator[](std::size_t number) const { return operands[number]; }
    Operand& operator[](std::size_t number) { return operands[number]; }
};

// Why a text cannot be run, as the end of a sentence that begins with the instruction.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The modifiers of an instruction that is prepared: each is to be taken, and then none may be left.
class Modifiers {
public:
    explicit Modifiers(const Instruction& instruction) : left_(instruction.modifiers.begin(), instruction.modifiers.end()) {}
    bool take(std::string_view name);                               // the first that is called so
    int take_one(std::initializer_list<std::string_view> names);    // which of them is there; -1: none
    Type type();                                                    // the next, if it is a type's name, or none
    Type needed_type();                                             // throws Wrong if there is none
    std::string_view next() const { return left_.empty() ? std::string_view{} : left_.front(); }
    void drop_caching();                                            // .L2::128B, .ca, .L1::evict_last and so on: no value changes
    void done() const;                                              // throws Wrong if one is left

private:
    std::vector<std::string_view> left_;
};

// An opcode: how an instruction of its name is prepared. Throws Wrong.
using Prepare = void (*)(Instruction&);
Prepare opcode_named(std::string_view name, std::size_t* length);   // the longest opcode that it begins with, or null

// Operands as an instruction wants them; these throw Wrong.
void want_operands(const Instruction& instruction, std::size_t least, std::size_t most = 0);   // most 0: exactly `least`
void want_register(const Operand& operand, Type type);              // to be written: of the type's width
void want_value(Operand& operand, Type type);                       // a register of its width, or a number, which becomes bits of it
void want_wide_enough(Operand& operand, Type type);                 // of ld, st and cvt: the register may be wider
void want_predicate(const Operand& operand);
void want_address(const Operand& operand);
void want_vector(Operand& operand, std::size_t parts, Type type);

struct Program {
    std::vector<Instruction> instructions;
    std::vector<Type> slots;             // of a frame: the statement's operands come first
    std::string error;                   // a sentence, if it cannot be run
    std::string varies;                  // an instruction that gives something else each time: a load, an atomic, a look at the clock

    static Program read(std::string_view text, const std::vector<Type>& operands);
};

}  // namespace ladder::ptx
