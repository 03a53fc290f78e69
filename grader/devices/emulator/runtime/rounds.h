// Threads that a barrier misses (rounds.cpp).
#pragma once

#include "thread.h"

namespace ladder {

// Files a note if the barrier that `waiting` has come to goes on without threads that went by it, or that left its loop
// after fewer rounds, and returned. Who returns in front of it, or in the loop, has arrived for good.
void note_absent_threads(Block& block, const Thread& waiting);

}  // namespace ladder
