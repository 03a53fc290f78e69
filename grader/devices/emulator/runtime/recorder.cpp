// Only one block is recorded, or one executor runs them all, and a block runs on one OS thread: nothing needs a lock.
#include "recorder.h"

#include <algorithm>

#include "machine.h"

namespace ladder {

namespace {

constexpr std::size_t numbers_of_a_step = 4;   // its warp, line, lanes and so on are short

const char* kind_of(Event event) {
    switch (event) {
        case Event::Block: return "block";
        case Event::Read: case Event::PartRead: case Event::VolatileRead: return "load";
        case Event::Write: case Event::VolatileWrite: return "store";
        case Event::Atomic: return "atomic";
        default: return nullptr;   // what serves races and calls, and no GPU executes
    }
}

// Where a GPU has its address 0 for this array. A block's shared memory begins there; here it lies anywhere.
Address origin(const Executor& executor, const Region& array) {
    if (array.space != Space::Shared) return 0;
    Address first = array.begin;
    const auto is_static = [&](Address a) { return a - executor.shared_begin < executor.shared_bytes; };
    for (const Region* other : executor.regions)
        if (other->space == Space::Shared && is_static(other->begin) && is_static(array.begin)) first = std::min(first, other->begin);
    return first;
}

}  // namespace

bool Recorder::wants(const Block& candidate) const {
    const Index& index = candidate.index;
    if (!on || machine().launches.size() != launch + 1) return false;
    return block[0] == every_block || (index.x == block[0] && index.y == block[1] && index.z == block[2]);
}

void Recorder::add(RecordedStep step) {
    const std::size_t numbers = numbers_of_a_step + step.places.size();
    cut = cut || numbers > room;   // and then for good: a recording has no holes
    if (cut) return;
    room -= numbers;
    steps.push_back(std::move(step));
}

// The regions die with the launch; what is known of them is kept.
int Recorder::array(const Executor& executor, std::uint16_t region) {
    const auto [known, fresh] = known_.try_emplace(region, static_cast<int>(arrays.size()));
    const Region& its = *executor.regions[region];
    if (fresh) arrays.push_back({its.name, its.space, its.bytes, (its.begin - origin(executor, its)) % 128});
    return known->second;
}

void Recorder::request(const Executor& executor, const WarpUnit& warp, std::uint32_t mask) {
    const Record& first = *warp.cursor[__builtin_ctz(mask)].next;
    const char* const kind = kind_of(first.event);
    if (!kind || cut) return;
    if (first.event == Event::Block) return add({kind, warp.block->number, static_cast<int>(warp.number), first.pc, 0, -1, 0, mask, {}});
    std::uint32_t reached = 0;   // an asynchronous copy need not read anything
    each_lane(mask, [&](int l) { reached |= static_cast<std::uint32_t>(warp.cursor[l].next->region != no_region) << l; });
    if (!reached) return;
    const std::uint16_t region = warp.cursor[__builtin_ctz(reached)].next->region;
    const Address begin = executor.regions[region]->begin;
    RecordedStep step{kind, warp.block->number, static_cast<int>(warp.number), first.pc, 0, array(executor, region), first.bytes & bytes_mask, reached, {}};
    each_lane(reached, [&](int l) { step.places.push_back(static_cast<long long>((warp.cursor[l].next->address & address_mask) - begin)); });
    add(std::move(step));
}

void Recorder::warp_operation(const WarpUnit& warp, std::uint32_t group, const char* kind, std::vector<long long> sources) {
    add({kind, warp.block->number, static_cast<int>(warp.number), 0, warp.threads[__builtin_ctz(group)].request.line, -1, 0, group, std::move(sources)});
}

void Recorder::barrier(const Block& block, int line) { add({"barrier", block.number, -1, 0, line, -1, 0, 0, {}}); }

// The array is the one that the finding names: of that name, and as large.
bool Recorder::fault(const Thread& thread, const Finding& finding) {
    if (!thread.block->recorded || finding.address == 0) return false;
    const auto& regions = thread.executor->regions;
    const auto named = [&](const Region* region) {
        return region->begin + static_cast<Address>(finding.offset) == finding.address && region->name == finding.array && region->bytes == finding.array_bytes;
    };
    const auto region = std::find_if(regions.begin(), regions.end(), named);
    if (region != regions.end())
        add({finding.access == "read" ? "bad load" : "bad store", thread.block->number, static_cast<int>(thread.warp->number), finding.pc, 0,
             array(*thread.executor, static_cast<std::uint16_t>(region - regions.begin())), finding.bytes, 1u << thread.lane, {finding.offset}});
    return true;
}

}  // namespace ladder
