// A recorder writes down what one block of one launch does, or all of them, warp instruction by warp instruction: for
// pictures, and only where somebody asks.
//
// A recorded block goes on after a thread's bad access, without that thread: a picture shows what the others do.
#pragma once

#include <cstdint>
#include <map>
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

struct RecordedArray { std::string name; Space space; std::size_t bytes; Address start; };   // start: modulo 128

struct RecordedStep {
    const char* kind;                  // "load", "store", "atomic", "bad load", "bad store", "block", "shuffle", "warp", "barrier"
    std::uint64_t block;               // its number in the grid
    int warp;                          // -1: of the whole block
    std::uint32_t pc;                  // 0: `line` is known instead
    int line;
    int array;                         // index in Recorder::arrays, -1: none
    unsigned bytes;                    // of one lane
    std::uint32_t mask;
    std::vector<long long> places;     // of an access, bytes from the array's begin; of a shuffle, the source lanes
};

constexpr unsigned every_block = ~0u;

struct Recorder {
    bool on = false, cut = false;
    std::size_t launch = 0;            // of the case, from 0
    std::size_t room = 0;              // for numbers: a step takes a few, and one for each place
    unsigned block[3] = {0, 0, 0};     // all of them, if the first is `every_block`: then there must be one executor
    std::vector<RecordedArray> arrays;
    std::vector<RecordedStep> steps;

    bool wants(const Block& block) const;
    void request(const Executor& executor, const WarpUnit& warp, std::uint32_t mask);   // the lanes' next records
    void warp_operation(const WarpUnit& warp, std::uint32_t group, const char* kind, std::vector<long long> sources);
    void barrier(const Block& block, int line);
    bool fault(const Thread& thread, const Finding& finding);   // whether the block is recorded, and may go on

private:
    std::map<std::uint16_t, int> known_;   // region of the block's executor -> index in `arrays`
    int array(const Executor& executor, std::uint16_t region);
    void add(RecordedStep step);
};

}  // namespace ladder
