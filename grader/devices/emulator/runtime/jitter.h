// Where an OS thread might be preempted at the worst time. With LADDER_JITTER in the environment that happens often
// (tests/emulator/test_jitter.py): whatever the runtime does then must be what it does always.
#pragma once

#include <sys/random.h>
#include <time.h>

#include <cstdlib>

namespace ladder {

inline const bool jitters = std::getenv("LADDER_JITTER") != nullptr;

[[gnu::noinline, gnu::cold]] inline void pause_by_chance() {
    thread_local unsigned chance = [] {
        unsigned seed = 1;
        (void)!getrandom(&seed, sizeof seed, 0);
        return seed;
    }();
    if (rand_r(&chance) % 8) return;
    const timespec pause{0, rand_r(&chance) % 100'000};
    nanosleep(&pause, nullptr);
}

inline void jitter() {
    if (jitters) pause_by_chance();
}

}  // namespace ladder
