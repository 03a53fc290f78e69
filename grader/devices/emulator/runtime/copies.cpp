// Asynchronous copies into shared memory (include/ladder/async_copy.h): which of them their thread has waited for. The data
// is there at once; that it need not be is what the race detector knows.
#include <algorithm>
#include <cstring>

#include "machine.h"

using namespace ladder;

extern "C" {

Quad ladder_copy_load(const void* from, std::size_t bytes, std::size_t zeros) {
    const auto a = reinterpret_cast<Address>(from);
    const std::size_t wanted = bytes - zeros;
    Quad value{};
    if (Thread* const thread = current) {
        settle_store(*thread);
        const std::uint32_t pc = program_counter(__builtin_return_address(0));
        const std::uint16_t region = wanted ? check_part(*thread, a, static_cast<unsigned>(bytes), static_cast<unsigned>(wanted), pc) : no_region;
        record(*thread, Event::PartRead, pc, a | wanted << part_shift, static_cast<unsigned>(bytes), region);
    }
    std::memcpy(&value, from, wanted);
    return value;
}

void ladder_copy_issued(const void* to, std::size_t bytes) {
    Thread* const thread = current;
    if (!thread) return;
    settle_store(*thread);
    const auto a = reinterpret_cast<Address>(to);
    const std::uint16_t region = thread->executor->region_index(a, bytes, 0);
    if (region == no_region || thread->executor->regions[region]->space != Space::Shared) return;
    thread->copies.push_back({a, static_cast<std::uint8_t>(bytes), region, thread->committed});
    record(*thread, Event::Issued, program_counter(__builtin_return_address(0)), a, static_cast<unsigned>(bytes), region);
}

void ladder_copies_committed() {
    Thread* const thread = current;
    if (!thread) return;
    // An empty group doesn't count: nothing of it is under way.
    if (!thread->copies.empty() && thread->copies.back().group == thread->committed) ++thread->groups_under_way;
    ++thread->committed;
    std::uint64_t& most = thread->block->most.copy_groups;
    most = std::max(most, thread->groups_under_way);
}

void ladder_copies_awaited(std::size_t newer) {
    Thread* const thread = current;
    if (!thread) return;
    settle_store(*thread);
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    std::size_t landed = 0;
    for (; landed < thread->copies.size() && thread->copies[landed].group + newer < thread->committed; ++landed) {
        const AsyncCopy copy = thread->copies[landed];
        thread->groups_under_way -= landed == 0 || thread->copies[landed - 1].group != copy.group;
        record(*thread, Event::Landed, pc, copy.to, copy.bytes, copy.region);
    }
    thread->copies.erase(thread->copies.begin(), thread->copies.begin() + static_cast<std::ptrdiff_t>(landed));
}

}  // extern "C"
