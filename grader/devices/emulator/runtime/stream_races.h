// Data races between the work of two streams, found as each launch and each asynchronous copy is over.
#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "clocks.h"
#include "launch_races.h"
#include "memory.h"
#include "streams.h"

namespace ladder {

// What the work so far has done to global memory. Two works race if they touch a common byte, at least one writes it, not
// both are atomic, and the streams, events and waits of host code do not order them. Kept only where host code has streams
// of its own. As within a block, two readers of a word are remembered.
class StreamRaces {
public:
    void launched(const std::vector<BlockSummary>& blocks);                     // by the work that began last
    void copied(Address a, std::size_t bytes, bool writes, int line);           // likewise, if it is of this line

private:
    struct Touch { Access access; std::uint32_t work; };                        // 1 + its index; 0: none
    struct Word { Touch write, reads[2]; };
    Word& word_of(std::uint64_t granule);
    void begin();
    void meet(std::uint64_t granule, const Access& access, bool writes);
    void check(std::uint64_t granule, const Touch& before, bool before_writes, const Access& now, bool writes);

    std::vector<Work> works_;
    std::vector<Lazy<Word>> words_;                                             // by Region::id
    std::set<std::pair<int, int>> reported_;                                    // lines
};

}  // namespace ladder
