// Data races between the blocks of a launch, found when it is over.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "clocks.h"
#include "findings.h"
#include "memory.h"

namespace ladder {

struct LaunchState;

// What one block did to one word of global memory, kept until the launch is over.
struct Summary { std::uint64_t granule; Access write, read; std::uint64_t value; };
struct BlockSummary { std::uint64_t block; std::uint32_t phase; std::vector<Summary> words; };   // phase: grid.sync() calls before

// A granule is a word of a region, both in one number. Words are counted from the multiple of 4 at or below the region's begin.
constexpr std::uint64_t granule_of(const Region& region, std::uint64_t word) { return static_cast<std::uint64_t>(region.id) << 40 | word; }

class LaunchRaces {
public:
    void add(BlockSummary summary);
    void check(LaunchState& launch, std::vector<Finding>& findings);   // in the order of the blocks

private:
    std::mutex mutex_;
    std::vector<BlockSummary> blocks_;
    std::vector<Lazy<std::uint32_t>> touched_by_;   // by Region::id and word: 0 nobody, a block's number + 1, or several
};

}  // namespace ladder
