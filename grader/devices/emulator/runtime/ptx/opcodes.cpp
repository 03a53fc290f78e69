// Finds an instruction's opcode: the longest name in the table that it begins with.
#include "opcodes.h"

namespace ladder::ptx {

namespace {

const Table& table() {
    static const Table known = [] {
        Table found;
        for (const auto add : {add_moves, add_arithmetic, add_bits, add_functions, add_conversions, add_memory, add_atomics, add_warps, add_barriers, add_mbarriers, add_matrices, add_copies}) add(found);
        return found;
    }();
    return known;
}

}  // namespace

Prepare opcode_named(std::string_view name, std::size_t* length) {
    for (std::string_view first = name;; first = first.substr(0, first.rfind('.'))) {
        if (const auto found = table().find(first); found != table().end()) {
            *length = first.size();
            return found->second;
        }
        if (first.rfind('.') == first.npos) return nullptr;
    }
}

}  // namespace ladder::ptx
