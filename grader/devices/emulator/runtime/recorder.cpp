// A block is written down by the OS thread that runs it, in a place of its own: only where blocks begin is a lock needed.
#include "recorder.h"

#include <algorithm>

#include "machine.h"

namespace ladder {

std::mutex recorder_lock;

namespace {

constexpr std::size_t numbers_of_a_step = 4;   // its warp, line, lanes and so on are short
constexpr int no_kind = -1;
constexpr std::size_t most_kernels = 8;        // of which the first launch is recorded, if that of each is

int kind_of(Event event) {
    const auto number = [](Kind kind) { return static_cast<int>(kind); };
    switch (event) {
        case Event::Block: return number(Kind::Block);
        case Event::Read: case Event::PartRead: case Event::VolatileRead: return number(Kind::Load);
        case Event::Write: case Event::VolatileWrite: return number(Kind::Store);
        case Event::Atomic: return number(Kind::Atomic);
        case Event::Issued: return number(Kind::Copy);
        case Event::Landed: return number(Kind::Landed);
        default: return no_kind;   // what serves races and calls, and no GPU executes
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

void Recorder::begin_launch(const std::string& name) {
    recording = false;
    if (!on || !is_named(name, kernel)) return;
    const bool first = kernels_.insert(name).second;
    recording = std::find(launches.begin(), launches.end(), counted_++) != launches.end() || (each_kernel && first && kernels_.size() <= most_kernels);
    if (recording && number == none) number = machine().launches.size();
}

bool Recorder::wants(const Block& candidate) const {
    const Index& index = candidate.index;
    if (!recording) return false;
    if (block[0] == every_block || (index.x == block[0] && index.y == block[1] && index.z == block[2])) return true;
    const bool last = candidate.number + 1 == candidate.launch->blocks;
    return std::any_of(more.begin(), more.end(), [&](std::uint64_t each) { return each == candidate.number || (last && each == none); });
}

RecordedBlock* Recorder::begin(const Block& candidate) {
    if (!wants(candidate)) return nullptr;
    const std::lock_guard guard(recorder_lock);
    const std::size_t launch = machine().launches.size() - 1;
    if (block[0] != every_block || blocks.empty() || blocks.back().launch != launch) {
        RecordedBlock& begun = blocks.emplace_back();
        begun.launch = launch, begun.room = room;
    }
    return &blocks.back();
}

void RecordedBlock::add(const Block& block, const RecordedStep& step) {
    const std::size_t numbers = numbers_of_a_step + step.places.size();
    cut = cut || numbers > room;   // and then for good: a recording has no holes
    if (cut) return;
    room -= numbers;
    for (const std::int64_t number : {static_cast<std::int64_t>(block.number), std::int64_t{step.warp}, std::int64_t{step.pc}, std::int64_t{step.line},
                                      static_cast<std::int64_t>(step.kind), std::int64_t{step.array}, std::int64_t{step.bytes},
                                      std::int64_t{step.mask}, static_cast<std::int64_t>(step.places.size())})
        steps.push_back(number);
    places.insert(places.end(), step.places.begin(), step.places.end());
}

// The regions die with the launch; what is known of them is kept.
int RecordedBlock::array(const Executor& executor, std::uint16_t region) {
    const auto [known, fresh] = known_.try_emplace(region, static_cast<int>(arrays.size()));
    if (fresh) arrays.push_back(array_of(executor, region));
    return known->second;
}

RecordedArray array_of(const Executor& executor, std::uint16_t region) {
    const Region& its = *executor.regions[region];
    return {its.name, its.space, its.bytes, (its.begin - origin(executor, its)) % 128, its.line};
}

void Recorder::request(const Executor& executor, const WarpUnit& warp, std::uint32_t mask) {
    RecordedBlock& recorded = *warp.block->recorded;
    const Record& first = *warp.cursor[__builtin_ctz(mask)].next;
    const int kind = kind_of(first.event);
    if (kind == no_kind || recorded.cut) return;
    RecordedStep step{static_cast<Kind>(kind), static_cast<int>(warp.number), first.pc, 0, -1, 0, mask, {}};
    if (first.event == Event::Block) return recorded.add(*warp.block, step);
    std::uint32_t reached = 0;   // an asynchronous copy need not read anything
    each_lane(mask, [&](int l) { reached |= static_cast<std::uint32_t>(warp.cursor[l].next->region != no_region) << l; });
    if (!reached) return;
    const std::uint16_t region = warp.cursor[__builtin_ctz(reached)].next->region;
    const Address begin = executor.regions[region]->begin;
    step.array = recorded.array(executor, region);
    step.bytes = first.bytes & bytes_mask;
    step.mask = reached;
    each_lane(reached, [&](int l) { step.places.push_back(static_cast<long long>((warp.cursor[l].next->address & address_mask) - begin)); });
    recorded.add(*warp.block, step);
}

void Recorder::warp_operation(const WarpUnit& warp, std::uint32_t group, Kind kind, std::vector<long long> places) {
    const int line = warp.threads[__builtin_ctz(group)].request.line;
    warp.block->recorded->add(*warp.block, {kind, static_cast<int>(warp.number), 0, line, -1, 0, group, std::move(places)});
}

void Recorder::barrier(const Block& block, int line) { block.recorded->add(block, {Kind::Barrier, -1, 0, line, -1, 0, 0, {}}); }

// The array is the one that the finding names: of that name, and as large.
bool Recorder::fault(const Thread& thread, const Finding& finding) {
    RecordedBlock* const recorded = thread.block->recorded;
    if (!recorded || finding.address == 0) return false;
    const auto& regions = thread.executor->regions;
    const auto named = [&](const Region* region) {
        return region->begin + static_cast<Address>(finding.offset) == finding.address && region->name == finding.array && region->bytes == finding.array_bytes;
    };
    const auto region = std::find_if(regions.begin(), regions.end(), named);
    if (region != regions.end())
        recorded->add(*thread.block, {finding.access == "read" ? Kind::BadLoad : Kind::BadStore, static_cast<int>(thread.warp->number), finding.pc, 0,
                      recorded->array(*thread.executor, static_cast<std::uint16_t>(region - regions.begin())), finding.bytes, 1u << thread.lane, {finding.offset}});
    return true;
}

}  // namespace ladder
