// When to give a kernel up that never ends, long before its time is up.
//
// Each stretch of a thread's trace holds what it did since its last turn. In a loop that changes nothing, such stretches
// have the same places, addresses and stored values again and again. If that is so of all threads of a launch for
// `patient_steps`, nothing will ever change. A loop that does change something is given up once the launch has done many
// times the work that data of this size can ask for. Both are counted in steps, never in seconds: the same kernel gets
// the same verdict on any machine.
#pragma once

#include <cstdint>
#include <map>

#include "findings.h"
#include "trace.h"

namespace ladder {

struct Thread;

constexpr double most_sampled_steps = 1.5e9;   // of the threads of one executor, where launches are sampled (sampling.h)
constexpr std::uint64_t patient_steps = 24'000'000;        // records of the traces, on one executor: 1 to 2 s of processor time
constexpr std::uint64_t patient_program_steps = 720'000'000; // in a whole program, which may compute for long where no trace shows it
constexpr std::uint64_t steps_before_looking = 8'000'000;  // most launches end before, and need not be looked at
constexpr std::uint64_t steps_between_looks = 32'768;      // once something has changed; or this many times what was looked at:
constexpr std::uint64_t rest_from_looking = 8;
constexpr std::uint64_t patient_host_steps = 400'000'000;  // of host code between two launches: 2 s, too
constexpr int blocks_to_look_at = 256;                     // basic blocks of a thread whose time is up: they tell its loop
constexpr int blocks_in_all = 16'384;                      // of its executor's other threads meanwhile
constexpr std::uint64_t steps_to_a_kernel = 2;             // of a launch's own, before its kernel begins
constexpr int patient_passes = 4;                          // in which all blocks of the launch did nothing but spin
constexpr double least_work = 40e6;                        // steps that a kernel may make, however small its data
constexpr double work_a_pair = 100;                        // and for each two elements: more than what these can ask for

// What a thread did in a stretch, whatever the order and however often: the least of its records' hashes, twice.
struct Stretch {
    std::uint32_t least[2] = {0, 0};
    bool operator==(const Stretch&) const = default;
};

constexpr int most_parts = 8;   // barriers in a round of a loop: each ends a stretch, and only all of them together come again

// What a thread did in its last stretches, since something in its launch has changed.
struct Habit {
    std::uint64_t since = 0;    // which change that was, from 1
    int known = 0;              // how many it has had
    Stretch parts[most_parts];
    Stretch pair, all;          // the last two together, and all that are kept
};

// Of one executor in one launch.
struct Patience {
    std::uint64_t steps = 0, idle = 0;             // all; without any change, of threads that compute
    std::uint64_t look_from = steps_before_looking;   // of all steps
    std::uint64_t changes = 0;                     // those of the launch that were known last
    std::uint64_t news = 1, looked_from = 0;       // changes that were seen here, and the steps when it was looked again
    // Once the time is up: a thread, how often it has come to which basic blocks since, and all threads to any.
    const Thread* looked_at = nullptr;
    std::uint64_t of_block = 0;
    std::map<std::uint32_t, int> visits;
    int visited = 0, visited_by_all = 0;

    bool looks(const Thread& thread) const;
};

// The thread has had its turn. If its launch will never end, files that and stops the block.
void watch_progress(Thread& thread);

// The time is up, and the thread has come to this basic block. True once it is known what it goes round in.
bool has_seen_enough(Thread& thread, std::uint32_t pc);

// Where a thread runs at last, how far it has come, and the others with it.
Finding still_running(const Thread& thread, std::uint32_t pc);

}  // namespace ladder
