// The table of opcodes: each file that has some gives them here. What their handlers have in common stands below.
#pragma once

#include <map>
#include <string_view>

#include "lane.h"

namespace ladder::ptx {

using Table = std::map<std::string_view, Prepare>;

void add_moves(Table& table);         // moves.cpp
void add_arithmetic(Table& table);    // arithmetic.cpp
void add_bits(Table& table);          // bits.cpp
void add_functions(Table& table);     // functions.cpp
void add_conversions(Table& table);   // conversions.cpp
void add_memory(Table& table);        // memory.cpp
void add_atomics(Table& table);       // atomics.cpp
void add_warps(Table& table);         // warps.cpp
void add_barriers(Table& table);      // barriers.cpp
void add_mbarriers(Table& table);     // mbarriers.cpp
void add_matrices(Table& table);      // matrices.cpp
void add_copies(Table& table);        // copies.cpp

// Calls pick(T{}) with the C++ type of a type: it returns what runs such an instruction.
template <class F> Instruction::Run pick_whole(Type type, F pick) {
    const bool is_signed = type.kind == Kind::Signed;
    switch (type.width()) {
        case 16: return is_signed ? pick(std::int16_t{}) : pick(std::uint16_t{});
        case 32: return is_signed ? pick(std::int32_t{}) : pick(std::uint32_t{});
        case 64: return is_signed ? pick(std::int64_t{}) : pick(std::uint64_t{});
        default: throw Wrong("whole numbers of this width are not computed with");
    }
}
template <class F> Instruction::Run pick_float(Type type, F pick) {
    if (type.is(Kind::Float, 32)) return pick(float{});
    if (type.is(Kind::Float, 64)) return pick(double{});
    throw Wrong("this type is not emulated here");
}

// Signed numbers wrap as unsigned ones do.
template <class T> using Wraps = std::make_unsigned_t<std::conditional_t<(sizeof(T) < 4), std::int32_t, T>>;

// The first operand is written, the others are read: all of one type.
inline void want_all(Instruction& instruction, std::size_t count, Type type) {
    want_operands(instruction, count);
    want_register(instruction[0], type);
    for (std::size_t i = 1; i < count; ++i) want_value(instruction[i], type);
}

}  // namespace ladder::ptx
