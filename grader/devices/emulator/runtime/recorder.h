// A recorder writes down what one block of a launch does, or several, or all of them, warp instruction by warp
// instruction: for pictures, and only where somebody asks.
//
// A recorded block goes on after a thread's bad access, without that thread: a picture shows what the others do.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "memory.h"
#include "trace.h"

namespace ladder {

struct Block;
struct Executor;
struct Finding;
struct Thread;
struct WarpUnit;

struct RecordedArray { std::string name; Space space; std::size_t bytes; Address start; int line; };   // start: modulo 128; line: of its allocation

// What is known of an executor's array, as it lies on a GPU.
RecordedArray array_of(const Executor& executor, std::uint16_t region);

enum class Kind { Load, Store, Atomic, BadLoad, BadStore, Block, Shuffle, Warp, Barrier, Copy, Landed, Product, Matrices };

struct RecordedStep {
    Kind kind;
    int warp;                          // -1: of the whole block
    std::uint32_t pc;                  // 0: `line` is known instead
    int line;
    int array;                         // index in RecordedBlock::arrays, -1: none
    unsigned bytes;                    // of one lane
    std::uint32_t mask;
    std::vector<long long> places;     // of an access or a copy, bytes from the array's begin; of a shuffle, the source lanes;
                                       // of a product, how many of the machine's: above each other, side by side, along k; its k, and elements in a register
};

// What one block did, or all of them in the order in which the one executor ran them. Only its own OS thread writes here.
struct RecordedBlock {
    std::size_t launch = 0;            // its number, among all
    std::size_t room = 0;              // for numbers: a step takes a few, and one for each place
    bool cut = false;
    std::vector<RecordedArray> arrays;
    std::vector<std::int64_t> steps;   // columns_of_a_step numbers for each: recorder.cpp says which
    std::vector<std::int64_t> places;

    void add(const ladder::Block& block, const RecordedStep& step);
    int array(const Executor& executor, std::uint16_t region);

private:
    std::map<std::uint16_t, int> known_;   // region of the block's executor -> index in `arrays`
};

constexpr unsigned every_block = ~0u;

struct Recorder {
    bool on = false;
    std::string kernel;                // only launches of the kernel with this name are counted; empty: all are
    std::vector<std::uint64_t> launches{0};   // which of them are recorded, from 0
    bool each_kernel = false;          // and the first one of each kernel
    std::size_t room = 0;              // for each block, or for all of them together if every block is recorded
    unsigned block[3] = {0, 0, 0};     // all of them, if the first is `every_block`: then there must be one executor
    std::vector<std::uint64_t> more;   // numbers of other blocks in the grid; `none`: the last one
    std::deque<RecordedBlock> blocks;

    std::size_t number = none;         // of the first launch that was recorded, among all
    bool recording = false;            // the launch that runs

    static constexpr std::size_t none = ~std::size_t{0};

    void begin_launch(const std::string& name);         // the next one is of this kernel
    RecordedBlock* begin(const ladder::Block& block);   // where this one is written down; null if it is not asked for
    void request(const Executor& executor, const WarpUnit& warp, std::uint32_t mask);   // the lanes' next records
    void warp_operation(const WarpUnit& warp, std::uint32_t group, Kind kind, std::vector<long long> places);
    void barrier(const ladder::Block& block, int line);
    bool fault(const Thread& thread, const Finding& finding);   // whether the block is recorded, and may go on

private:
    std::size_t counted_ = 0;          // launches so far
    std::set<std::string> kernels_;    // that they were of

    bool wants(const ladder::Block& block) const;
};

extern std::mutex recorder_lock;       // around `blocks`, while blocks begin

}  // namespace ladder
