// For a debugger: which CUDA thread it is that somebody wants to see (grader/faces/debug.py).
#pragma once

#include <cstdint>

// 1 while that thread runs, so that a breakpoint's condition is quick to ask. -1: nobody debugs.
extern "C" int ladder_debug_here;

extern "C" void ladder_debug_thread(std::uint64_t block, std::uint64_t thread);   // their numbers in grid and block
extern "C" void ladder_debug_stop();                                              // where a debugger stops at its finding

namespace ladder {

struct Thread;

void note_for_debugger(const Thread* thread);   // that runs now; null: none
inline void stop_for_debugger() {
    if (ladder_debug_here > 0) ladder_debug_stop();
}

}  // namespace ladder
