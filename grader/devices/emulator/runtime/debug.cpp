#include "debug.h"

#include "machine.h"

int ladder_debug_here = -1;

namespace {
std::uint64_t wanted_block, wanted_thread;
}

void ladder_debug_thread(std::uint64_t block, std::uint64_t thread) {
    wanted_block = block;
    wanted_thread = thread;
    ladder_debug_here = 0;
}

// A function of its own, and one that the compiler keeps: a breakpoint stands here.
__attribute__((noinline)) void ladder_debug_stop() { asm volatile(""); }

void ladder::note_for_debugger(const Thread* thread) {
    if (ladder_debug_here >= 0) ladder_debug_here = thread && thread->block->number == wanted_block && thread->number == wanted_thread;
}
