// Asynchronous copies into shared memory: what one thread does, and `pc` is where.
#pragma once

#include "thread.h"

namespace ladder {

Quad load_for_copy(Thread& thread, Address from, unsigned bytes, std::uint32_t pc);
Quad load_part_for_copy(Thread& thread, Address from, unsigned bytes, unsigned wanted, std::uint32_t pc);   // the rest is zero
void issue_copy(Thread& thread, Address to, Address from, unsigned bytes, Waited by, std::uint32_t pc);   // what was stored there is under way; from: 0 if nothing is read
void commit_copies(Thread& thread);
void await_copies(Thread& thread, std::size_t newer, std::uint32_t pc);   // all groups but as many newer ones

}  // namespace ladder
