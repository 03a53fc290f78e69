// A request: the accesses of a warp's lanes that make one warp instruction. Sectors and wavefronts are counted as Nsight
// Compute defines them; docs/counters.md has the table.
#pragma once

#include <cstdint>

#include "executor.h"

namespace ladder {

// The lanes at one program counter that do the same there: same event, width and kind of memory make one instruction.
struct Request {
    std::uint32_t mask = 0;
    int lanes = 0;
    unsigned bytes = 0;          // of one lane
    bool consecutive = true;     // lane after lane, without gaps
    bool uniform = false;        // at one address, as far as it is known
    bool one_array = true;
    Record record;               // of the first lane
    Address address[warp_lanes]; // of the active lanes, in order
};

// The request that the first of these lanes begins, and all of them that take part in it.
void gather(const Executor& executor, const WarpUnit& warp, std::uint32_t candidates, Request& request);
// The same, for a warp all of whose lanes do the same at one place.
void gather_all(const WarpUnit& warp, Request& request);
// How many of the next records, behind the first `skipped` and at most `most`, are the same in all 32 lanes but for their addresses.
int count_agreed(const WarpUnit& warp, std::ptrdiff_t skipped, int most);
constexpr int most_agreed = 32;   // that are looked at together

unsigned count_sectors(const Request& request);          // distinct 32-byte sectors over the whole warp
unsigned count_atomic_sectors(const Request& request);
unsigned count_distinct(const Request& request, unsigned* most_at_one);   // addresses
unsigned count_wavefronts(const Request& request, bool loads, unsigned* phases);

}  // namespace ladder
