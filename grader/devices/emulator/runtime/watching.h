// What may be wrong with accesses: races, and reads of what is not initialised.
#pragma once

#include "request.h"

namespace ladder {

void watch(Executor& executor, WarpUnit& warp, const Request& request);
void watch_part(Executor& executor, WarpUnit& warp, int lane, const Record& record, Address a, unsigned wanted);   // an asynchronous copy's load
// An access in a launch that leaves no traces: only what is initialised is known.
void touch_unrecorded(Thread& thread, const Region& region, Address a, unsigned bytes, bool writes, std::uint32_t pc);

// Another block is about to be told of what the lanes of this one have written, of which one may be running. It may run at
// once, before that is replayed.
void publish(Block& block, const Thread* running = nullptr);
// A lane that runs has just seen what others have released, lanes of its own block maybe, whose traces are not replayed yet.
void publish_to_lanes(const Thread& by);

}  // namespace ladder
