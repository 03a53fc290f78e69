// Where an OS thread might be preempted at the worst time. Built with -DLADDER_JITTER, the runtime makes that happen
// (tests/emulator/test_jitter.py): whatever it does then must be what it does always.
#pragma once

#ifdef LADDER_JITTER
#include <time.h>

#include <random>
#endif

namespace ladder {

inline void jitter() {
#ifdef LADDER_JITTER
    thread_local std::minstd_rand chance{std::random_device{}()};
    if (chance() % 8) return;
    const timespec pause{0, static_cast<long>(chance() % 100'000)};
    nanosleep(&pause, nullptr);
#endif
}

}  // namespace ladder
