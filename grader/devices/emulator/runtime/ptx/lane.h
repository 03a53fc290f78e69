// A CUDA thread in an asm statement: what instructions see of it.
#pragma once

#include <cstring>

#include "../machine.h"
#include "program.h"

namespace ladder::ptx {

struct Meeting;
using Meet = void (*)(Meeting&, const Instruction&);

constexpr unsigned room = 255;   // program counters behind the call (include/ladder/ptx.h): of each instruction two, of a block that it begins and its own

// Of loads and stores: how they take part in the order of memory.
enum class Order : std::uint8_t { Weak, Volatile, Relaxed, Acquire, Release, Cached };

struct Lane {
    Thread& thread;
    const Program& program;
    std::uint64_t* frame;                // a slot for each register; narrower values have zeros above
    std::uint32_t pc;                    // where the statement is, for findings and counters
    int line;
    std::size_t next = 0;                // the instruction to run next
    alignas(16) unsigned char own[64];   // of an instruction that stops in its middle, to meet the others

    // ---- values ----
    std::uint64_t bits(const Operand& operand) const {
        if (operand.form == Operand::Form::Register) [[likely]] return frame[operand.slot];
        return operand.form == Operand::Form::Number ? static_cast<std::uint64_t>(operand.value) : special(operand);
    }
    template <class T> T get(const Operand& operand) const {
        const std::uint64_t its = bits(operand);
        T value;
        std::memcpy(&value, &its, sizeof value);
        return value;
    }
    template <class T> void set(const Operand& operand, T value) {
        if (operand.form != Operand::Form::Register) return;   // _
        frame[operand.slot] = 0;
        std::memcpy(&frame[operand.slot], &value, sizeof value);
    }
    bool predicate(const Operand& operand) const { return ((bits(operand) & 1) != 0) != operand.negated; }
    std::uint64_t special(const Operand& operand) const;

    // ---- memory: checked, counted and raced as plain code's; a lane whose access is bad does not come back ----
    Address generic(const Operand& address) const { return static_cast<Address>((address.slot < 0 ? 0 : frame[address.slot]) + static_cast<std::uint64_t>(address.value)); }
    Address shared(const Operand& address) const;          // the pointer for an address of shared memory
    void load(const Instruction& at, Address from, void* to, unsigned bytes, Order order = Order::Weak, unsigned elements = 1);
    void store(const Instruction& at, Address to, const void* from, unsigned bytes, Order order = Order::Weak, unsigned elements = 1);
    std::uint32_t place(const Instruction& at) const { return pc + std::min(2 * at.place + 1, room); }
    std::uint32_t arithmetic_place(const Instruction& at) const { return pc + std::min(2 * at.place + 1, 2 * counted_instructions); }

    // ---- others ----
    // Waits until all lanes of `mask` that have not returned are here; `what` then runs once for all of them.
    void meet(const Instruction& at, std::uint32_t mask, Meet what);
    std::uint64_t warp(const Instruction& at, Warp op, std::uint32_t mask, std::uint64_t value, int argument = 0, int width = warp_lanes);
    [[noreturn]] void stop(const Instruction& at, const std::string& why);   // "mma.sync: why"
};

// Lanes that have come to one instruction.
struct Meeting {
    WarpUnit& warp;
    std::uint32_t lanes;                 // by bits
    const Instruction* instruction;

    bool whole() const { return lanes == ~0u; }
    Lane& lane(int number) const { return *static_cast<Lane*>(warp.threads[number].request.lane); }
    void stop(const std::string& why);   // ends the block, with a finding about the instruction
};

}  // namespace ladder::ptx
