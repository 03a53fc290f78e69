// Asynchronous copies into shared memory (include/ladder/async_copy.h): which of them their thread has waited for. The data
// is there at once; that it need not be is what the race detector knows.
#include "copies.h"

#include <algorithm>
#include <cstring>

#include "machine.h"
#include "matrices.h"

namespace ladder {

Quad load_for_copy(Thread& thread, Address from, unsigned bytes, std::uint32_t pc) {
    Quad value{};
    read_at(thread, from, &value, bytes, {0, pc});
    return value;
}

Quad load_part_for_copy(Thread& thread, Address from, unsigned bytes, unsigned wanted, std::uint32_t pc) {
    settle_store(thread);
    const std::uint16_t region = wanted ? check_part(thread, from, bytes, wanted, pc) : no_region;
    record(thread, Event::PartRead, pc, from | std::uint64_t{wanted} << part_shift, bytes, region);
    Quad value{};
    std::memcpy(&value, reinterpret_cast<const void*>(from), wanted);
    return value;
}

void issue_copy(Thread& thread, Address to, Address from, unsigned bytes, Waited by, std::uint32_t pc) {
    settle_store(thread);
    const std::uint16_t region = thread.executor->region_index(to, bytes, 0);
    if (region == no_region || thread.executor->regions[region]->space != Space::Shared) return;
    const std::uint16_t source = from ? thread.executor->region_index(from, bytes, 0) : no_region;
    const bool may_change = source != no_region && thread.executor->regions[source]->writable;
    thread.copies.push_back({to, from, static_cast<std::uint8_t>(bytes), region, may_change ? source : no_region, thread.committed});
    const unsigned how = bytes | static_cast<unsigned>(by) << waited_shift;
    record(thread, Event::Issued, pc, to, how, region);
    if (may_change) record(thread, Event::Taken, pc, from, how, source);
}

void commit_copies(Thread& thread) {
    // An empty group doesn't count: nothing of it is under way.
    if (!thread.copies.empty() && thread.copies.back().group == thread.committed) ++thread.groups_under_way;
    ++thread.committed;
    std::uint64_t& most = thread.block->most.copy_groups;
    most = std::max(most, thread.groups_under_way);
}

void await_copies(Thread& thread, std::size_t newer, std::uint32_t pc) {
    settle_store(thread);
    std::size_t landed = 0;
    for (; landed < thread.copies.size() && thread.copies[landed].group + newer < thread.committed; ++landed) {
        const AsyncCopy copy = thread.copies[landed];
        thread.groups_under_way -= landed == 0 || thread.copies[landed - 1].group != copy.group;
        record(thread, Event::Landed, pc, copy.to, copy.bytes, copy.region);
        if (copy.source != no_region) record(thread, Event::Given, pc, copy.from, copy.bytes, copy.source);
    }
    thread.copies.erase(thread.copies.begin(), thread.copies.begin() + static_cast<std::ptrdiff_t>(landed));
}

}  // namespace ladder

using namespace ladder;

extern "C" {

Quad ladder_copy_load(const void* from, std::size_t bytes, std::size_t zeros) {
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    if (current) return load_part_for_copy(*current, reinterpret_cast<Address>(from), static_cast<unsigned>(bytes), static_cast<unsigned>(bytes - zeros), pc);
    Quad value{};
    std::memcpy(&value, from, bytes - zeros);
    return value;
}

void ladder_copy_issued(const void* to, const void* from, std::size_t bytes, Waited by) {
    if (current) issue_copy(*current, reinterpret_cast<Address>(to), reinterpret_cast<Address>(from), static_cast<unsigned>(bytes), by, program_counter(__builtin_return_address(0)));
}

void ladder_copies_committed() {
    if (current) commit_copies(*current);
}

void ladder_copies_awaited(std::size_t newer) {
    if (current) await_copies(*current, newer, program_counter(__builtin_return_address(0)));
}

}  // extern "C"
