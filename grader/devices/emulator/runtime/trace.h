// What the learner's code leaves behind as it runs: one record per basic block, memory access or synchronisation.
#pragma once

#include <cstdint>

namespace ladder {

enum class Event : std::uint8_t {
    Block,                       // a basic block is entered
    Read, Write, Atomic,         // address
    VolatileRead, VolatileWrite, // address
    Value,                       // of the Write just before: known only once the store has happened
    Call, Return,                // a function that the compiler did not inline
    Clock,                       // the lane's release clock ticked; address: the new tick
    Acquired,                    // the lane has seen other threads' releases; address: which (Clocks::Acquisition)
    Issued, Landed,              // an asynchronous copy to this address is under way; its thread has waited for it
};

struct Record {
    std::uint32_t pc;        // offset in the learner's library of the instruction after the callback
    Event event;
    std::uint8_t bytes;      // 1, 2, 4, 8 or 16; of an atomic, with the flags below
    std::uint16_t region;    // index in the executor's table of regions
    std::uint64_t address;
};
static_assert(sizeof(Record) == 16);
constexpr std::uint8_t bytes_mask = 0x1f, block_scope_flag = 0x80, compare_swap_flag = 0x40;

// What replay counts at one program counter.
struct Site {
    std::uint32_t pc;
    std::uint8_t kind;               // 0 unused, 1 basic block, else 1 + Event of an access
    std::uint8_t space;
    std::uint8_t bytes;
    std::uint8_t listed;
    std::uint64_t warps, threads;    // executions, and active lanes summed over them
    std::uint64_t requests, sectors; // global memory
    std::uint64_t asked, useful;     // bytes: over all active lanes, and distinct ones within each request
    std::uint64_t wavefronts, ideal; // shared memory
    std::uint64_t divergent;         // a basic block's executions after which its lanes went different ways
    std::uint64_t multiplicity;      // atomics: most lanes of one warp instruction at one address
};

}  // namespace ladder
