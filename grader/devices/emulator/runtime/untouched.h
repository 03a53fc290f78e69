// What a launch with too few threads leaves out: elements of an array of which no kernel has touched one, behind those
// that its threads have written.
#pragma once

#include <set>
#include <vector>

#include "launch.h"

namespace ladder {

// A launch of a whole program, by its threads and the whole numbers among its arguments: sizes, as a rule.
struct Extent {
    std::string kernel;
    int line = 0;
    Index grid, block;
    std::vector<std::uint64_t> numbers;
    std::set<int> arrays;   // into which its pointers lead, by Region::id
    bool operator==(const Extent& other) const;
};

struct Extents {
    std::vector<Extent> seen;   // each once
    bool incomplete = false;    // a launch has left no traces, or there were too many kinds
    void add(const Launch& launch, bool counted);
};

// True: it has filed a note. Of what goes to the host, from the array's start up to some bytes behind it.
bool note_untouched(Region& region, std::size_t bytes);
void note_constants_never_set();             // that a kernel has read
void note_untouched_of_both_sides();   // which host code reads without a call

}  // namespace ladder
