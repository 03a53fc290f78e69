// Special registers: %laneid, %tid.x and so on.
#pragma once

#include <string_view>

#include "program.h"

namespace ladder::ptx {

constexpr char operand_mark = '\x01', operand_end = '\x02';   // around the number of an asm operand, in a text that is read

// Makes `operand` stand for the register, without its %; false if there is none of this name.
bool special_named(std::string_view name, Operand* operand);
bool is_clock(const Operand& operand);   // it says another time at each look

}  // namespace ladder::ptx
