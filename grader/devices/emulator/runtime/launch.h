// One launch: what its executors share while they run its blocks, and what is kept of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clusters.h"
#include "launch_races.h"
#include "schedule.h"
#include "thread.h"

namespace ladder {

struct KernelTotals {
    std::string name;
    int line = 0;
    std::uint64_t launches = 0, counted_launches = 0, blocks = 0, threads = 0, barriers = 0, copies = 0;
    std::uint64_t task_bytes = 0, busy_threads = 0, busy_blocks = 0;   // in the launch that asks for most of the task's bytes
    Peaks most;
    std::set<PassedBarrier> passed_barriers;
    std::size_t static_shared = 0, dynamic_shared = 0;
};

struct LaunchRecord { std::string kernel; Index grid, block; std::size_t shared; int line; bool given_stream, own_stream, cooperative; };

// Work that blocks or warps share. As many count as would do it in equal parts, or four times that, as those at an edge have
// less: who touches an element for the look of it makes no crowd.
struct Shares {
    unsigned __int128 squares = 0;
    void add(std::uint64_t bytes) { squares += static_cast<unsigned __int128>(bytes) * bytes; }
    std::uint64_t most(std::uint64_t all) const { return squares ? static_cast<std::uint64_t>(static_cast<unsigned __int128>(all) * all * 4 / squares) : 0; }
};

// Everything the executors share during one launch.
struct LaunchState {
    const Launch* launch = nullptr;
    const Symbol* function = nullptr;          // null: g++ found that it does nothing, and took the call away
    int kernel = 0;
    const std::uint64_t blocks;
    std::uint64_t first_id = 0;                // of its blocks: unlike those of other launches that may be under way
    Index grid{}, block{};
    Clusters clusters;
    std::uint32_t acquired = 0;                // by all threads, before they begin
    bool counting = true;
    std::size_t seats = 1;   // of an executor
    std::size_t executors = 1;
    Schedule schedule{blocks};
    std::atomic<std::uint64_t> task_bytes{0}, busy_threads{0}, busy_blocks{0}, barriers{0}, copies{0};
    std::map<std::uint64_t, std::string> printed;               // this and the next two with the schedule's mutex held
    std::set<PassedBarrier> passed_barriers;
    Peaks most;
    Shares of_blocks, of_warps;                // of the task's bytes; with that mutex, too
    alignas(cache_lines) std::atomic<std::uint64_t> changes{0};     // that threads have made since somebody looks (patience.h)
    std::atomic<std::uint64_t> spun{0};        // steps of threads that spin, since then
    std::atomic<bool> tells_host{false};       // a thread has a fence, or an atomic on memory of both sides, for the whole system
    LaunchRaces races;
    std::vector<std::uint64_t> chosen;         // the numbers of the blocks, where only some of them run (sampling.h)

    std::uint64_t number_of(std::uint64_t n) const { return chosen.empty() ? n : chosen[n]; }   // in the grid, of the nth that runs
    // A block's number among all that may be under way. Its clocks begin anew where it has met others, so it has another one there.
    std::uint64_t id_of(std::uint64_t n, std::uint32_t phase) const { return first_id + phase * blocks + n; }
    std::uint64_t cluster_of(std::uint64_t n) const { return clusters.of(index_of(number_of(n), grid)); }
    bool are_of_one_cluster(std::uint64_t n, std::uint64_t m) const { return clusters.any() && cluster_of(n) == cluster_of(m); }
    explicit LaunchState(std::uint64_t count) : blocks(count) {}
};

// ---- kernel_function.cpp ----
// The function that this launch would run: of overloads and instantiations, the one that is called. Null if there is none.
const Symbol* function_of(const Launch& launch);
// What to call it: as the launch does, or by the function's own name where the launch has a pointer to that.
const char* name_of(const Launch& launch, const Symbol* function);
// Which of its parameters are references, by its demangled name: a bit for each.
std::uint64_t references_of(const std::string& function);
// Host code is in a function of the learner's. True: it is on its way to the one that a launch would run, and does not stay.
bool reached(Address code);
void stop_searching();        // for that one: host code is left in the middle

// ---- host.cpp ----
void launch_kernel(const Launch& launch);
bool fails_in_kernel(const Launch& launch);   // which launches it. Not asked: the bounds and the static memory of its function

}  // namespace ladder
