// What the learner's code leaves behind as it runs: one record per basic block, memory access or synchronisation.
#pragma once

#include <cstdint>
#include <utility>

#include "../include/ladder/abi.h"

namespace ladder {

// Python (kinds.py) reads names and numbers from here.
enum class Event : std::uint8_t {
    Block,                       // a basic block is entered
    Read, Write, Atomic,         // address
    PartRead,                    // address, and above it how many of its bytes are read: 0 to all
    VolatileRead, VolatileWrite, // address
    Value,                       // of the Write just before: known only once the store has happened
    Call, Return,                // a function that the compiler did not inline
    Clock,                       // the lane's release clock ticked; address: the new tick
    Acquired,                    // the lane has seen other threads' releases; address: which (Clocks::Acquisition)
    Issued, Landed,              // an asynchronous copy to this address is under way; its thread has waited for it
    Tensor,                      // an instruction of a tensor core; bytes: its TensorShape, and above it its TensorRate
    AtomicLoad, AtomicStore,     // of a Site alone: an Atomic that is counted as what it is
    Arithmetic,                  // an instruction of inline PTX that computes with floats, or divides
    Taken, Given,                // of an asynchronous copy, what lies at this address: it is still to be read; its thread has waited
    Freed,                       // memory of the kernels' heap, from this address on
};

// Python (kinds.py) reads names and numbers from here. Of the machine's instructions: m16n8 and k, for doubles m8n8k4.
enum class TensorShape : std::uint8_t { M16N8K4, M16N8K8, M16N8K16, M16N8K32, M8N8K4 };
// Python reads names and numbers from here, too. Operands that a tensor core takes at rates of their own.
enum class TensorRate : std::uint8_t { Half, Tf32, Integer, SmallFloat };
constexpr unsigned tensor_shapes = 8;   // room for

struct Record {
    std::uint32_t pc;        // offset in the learner's library of the instruction after the callback
    Event event;
    std::uint8_t bytes;      // 1, 2, 4, 8 or 16; of an atomic or a volatile read, with the flags below
    std::uint16_t region;    // index in the executor's table of regions
    std::uint64_t address;
};
static_assert(sizeof(Record) == 16);
constexpr unsigned part_shift = 56;   // in a PartRead's address
constexpr std::uint64_t address_mask = (std::uint64_t{1} << part_shift) - 1;
constexpr std::uint8_t bytes_mask = 0x1f, block_scope_flag = 0x80, compare_swap_flag = 0x40, float_flag = 0x20;
constexpr unsigned waited_shift = 5;         // of a copy: how one waits for it, above its bytes
constexpr std::uint8_t strong_flag = 0x80;   // of a volatile read: it looks at a flag, as PTX says itself
constexpr std::uint8_t whole_flag = 0x80;    // of a plain read: a piece of a structure that is copied whole
constexpr std::uint8_t aligned_flag = 0x40;  // of such a piece: the structure's alignment is larger
constexpr std::uint8_t cached_flag = 0x40;   // of a plain read that is no such piece: ld.global.nc
constexpr std::uint8_t vector_flag = 0x40;   // of a volatile access in PTX: to several elements
constexpr std::uint8_t own_block_flag = 0x20;   // of a volatile access in PTX: its scope is the block
constexpr std::uint8_t unchanged_flag = 0x80;   // of a stored value, in a whole program: it lay there already
constexpr std::uint8_t matrix_flag = 0x20;   // of a plain read or write of 16 bytes: a row of ldmatrix or stmatrix

inline bool is_of_matrix(const Record& record) { return (record.event == Event::Read || record.event == Event::Write) && record.bytes & matrix_flag; }

// What replay counts at one program counter.
struct Site {
    std::uint32_t pc;
    Space space;                     // of an access
    Event kind;                      // Block, or the kind of access
    std::uint8_t bytes;              // of one lane
    bool listed;                     // in use
    bool loads, stores;              // of an atomic: it does nothing else
    std::uint64_t warps, threads;    // executions, and active lanes summed over them
    std::uint64_t requests, sectors; // global memory
    std::uint64_t asked, useful;     // bytes: over all active lanes, and distinct ones within each request
    std::uint64_t task_requests, task_sectors, task_asked, task_useful;   // the same, of the task's own buffers alone
    std::uint64_t wavefronts, ideal; // shared memory
    std::uint64_t divergent;         // a basic block's executions after which its lanes went different ways
    std::uint64_t joined, joined_wavefronts;   // shared loads, where nvcc can join those of a loop's rounds into wide ones; there
    std::uint64_t lines;             // of 128 bytes, in global memory: counted where a launch is sampled (sampling.h)
    std::uint64_t matrices;          // requests that are ldmatrix or stmatrix
    std::uint64_t float_lanes;       // of atomics on floats in global memory; there, too
    std::uint64_t multiplicity;      // atomics: most lanes of one warp instruction at one address
    std::uint64_t waste, worst_block;   // of the request that is kept for a picture (executor.h)
    bool kept;                       // whether there is one
};

// Those that add up, by the names under which Python finds them in the report.
constexpr std::pair<const char*, std::uint64_t Site::*> site_sums[] = {
    {"warps", &Site::warps},           {"threads", &Site::threads}, {"requests", &Site::requests},
    {"sectors", &Site::sectors},       {"asked", &Site::asked},     {"useful", &Site::useful},
    {"wavefronts", &Site::wavefronts}, {"ideal", &Site::ideal},     {"divergent", &Site::divergent},
    {"task_requests", &Site::task_requests}, {"task_sectors", &Site::task_sectors},
    {"task_asked", &Site::task_asked},       {"task_useful", &Site::task_useful},
    {"lines", &Site::lines},                 {"float_lanes", &Site::float_lanes},
    {"matrices", &Site::matrices},           {"joined", &Site::joined},
                  {"joined_wavefronts", &Site::joined_wavefronts},
};

}  // namespace ladder
