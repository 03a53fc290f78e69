// What a request to memory is counted as, and what may be wrong with it: races and uninitialised reads.
#pragma once

#include "request.h"

namespace ladder {

Site& site_at(Executor& executor, std::uint32_t pc);
// An access in a launch that leaves no traces: only what is initialised is known.
void touch_unrecorded(Thread& thread, const Region& region, Address a, unsigned bytes, bool writes, std::uint32_t pc);
void replay_access(Executor& executor, WarpUnit& warp, const Request& request);
void replay_part(Executor& executor, WarpUnit& warp, const Request& request);    // an asynchronous copy's load
void replay_value(Executor& executor, WarpUnit& warp, const Request& request);   // a store has happened: now its value is known
void replay_copy(Executor& executor, WarpUnit& warp, const Request& request);    // asynchronous: was issued, or has landed

// Another block is about to be told of what the lanes of this warp have written, of which one may be running. It may run at
// once, before that is replayed.
void publish(WarpUnit& warp, const Thread* running = nullptr);

}  // namespace ladder
