// A recorder writes down what one block of one launch does, warp instruction by warp instruction: for pictures, and only
// where somebody asks.
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
struct WarpUnit;

struct RecordedArray { std::string name; Space space; std::size_t bytes; Address start; };   // start: modulo 128

struct RecordedStep {
    const char* kind;                  // "load", "store", "atomic", "block", "shuffle", "warp", "barrier"
    int warp;                          // -1: of the whole block
    std::uint32_t pc;                  // 0: `line` is known instead
    int line;
    int array;                         // index in Recorder::arrays, -1: none
    unsigned bytes;                    // of one lane
    std::uint32_t mask;
    std::vector<long long> places;     // of an access, bytes from the array's begin; of a shuffle, the source lanes
};

struct Recorder {
    bool on = false, cut = false;
    std::size_t launch = 0;            // of the case, from 0
    std::size_t room = 0;              // for numbers: a step takes a few, and one for each place
    unsigned block[3] = {0, 0, 0};
    std::vector<RecordedArray> arrays;
    std::vector<RecordedStep> steps;

    bool wants(const Block& block) const;
    void request(const Executor& executor, const WarpUnit& warp, std::uint32_t mask);   // the lanes' next records
    void warp_operation(const WarpUnit& warp, std::uint32_t group, const char* kind, std::vector<long long> sources);
    void barrier(int line);

private:
    std::map<std::uint16_t, int> known_;   // region of the block's executor -> index in `arrays`
    int array(const Executor& executor, std::uint16_t region);
    void add(RecordedStep step);
};

}  // namespace ladder
