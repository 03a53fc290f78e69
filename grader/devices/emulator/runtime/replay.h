// Replay: the traces of a warp's lanes become warp instructions, and from these come the counters and the findings.
#pragma once

#include <cstdint>

#include "executor.h"

namespace ladder {

enum class Replay { NeedsTrace, ResolveWarp, Idle };
Replay replay(WarpUnit& warp, Executor& executor, std::uint32_t* group);   // group: lanes that ResolveWarp is about
void begin_replay(WarpUnit& warp);
void load_cursor(WarpUnit& warp, int lane);      // the lane has produced trace, or stopped
void forget_trace(WarpUnit& warp, int lane);     // its trace is used up: it goes on, or is over
void set_aside(WarpUnit& warp, int lane);        // replay does not wait for this lane for now
std::uint32_t unreplayed(const WarpUnit& warp);  // lanes: those whose trace is not used up, and maybe some more
bool all_replayed(const WarpUnit& warp);

}  // namespace ladder
