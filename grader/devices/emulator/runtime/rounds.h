// Threads that a barrier misses (rounds.cpp).
#pragma once

#include "thread.h"

namespace ladder {

// The threads of a block meet at this barrier.
void count_meeting(Block& block, std::uint32_t barrier);

// Files a note if the barrier that `waiting` has come to goes on without threads that went by it, or that left its loop
// after fewer rounds, and returned. Who returns in front of it, or in the loop, has arrived for good.
void note_absent_threads(Block& block, const Thread& waiting);

// The same of lanes that a warp's operation names, and that are not in the group that has come to it.
void note_absent_lanes(const WarpUnit& warp, std::uint32_t group);

}  // namespace ladder
