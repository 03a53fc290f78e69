#include "stream_races.h"

#include <algorithm>

#include "children.h"
#include "machine.h"

namespace ladder {

// Of a graph's nodes: no line of the program's has created it (libraries/ladder_more/graphs.h).
static bool is_lane(void* stream) {
    const auto known = machine().streams.find(stream);
    return known != machine().streams.end() && known->second.line == 0;
}

// What the message of a race of these says.
static const char* on_streams(const Work& first, const Work& second) {
    if (is_of_thread(first.stream) && is_of_thread(second.stream)) return "host threads";
    if (is_lane(first.stream) && is_lane(second.stream)) return "two nodes";
    return machine().whole_program && (!first.stream || !second.stream) ? "default stream" : "two streams";
}

// What one thread has waited for is there for all of its block that a barrier has brought behind it; of the others in its epoch
// that is not known.
static bool is_early(const Block& block, const Access& access) {
    if (!access.pc || access.epoch > block.clock.dependency_epoch) return false;
    const std::uint32_t waited = block.threads[access.thread].clock.dependency;
    return waited != not_arrived ? access.tick < waited : access.epoch < block.clock.dependency_epoch;
}

void note_early(const Block& block, BlockSummary& summary) {
    for (Summary& word : summary.words) word.writes_early = is_early(block, word.write), word.reads_early = is_early(block, word.read);
}

void StreamRaces::launched(const std::vector<BlockSummary>& blocks, const LaunchState& launch) {
    if (!works_may_race()) return;
    begin();
    for (const BlockSummary& block : blocks) {
        const std::uint64_t id = launch.id_of(block.block, block.phase / 2);
        for (const Summary& word : block.words) {
            if (is_of_cluster(word.granule)) continue;
            if (word.read.pc) awaits_ = !word.reads_early, meet(word.granule, word.read, id, false);
            if (word.write.pc) awaits_ = !word.writes_early, meet(word.granule, word.write, id, true);
        }
    }
}

void StreamRaces::copied(Address a, std::size_t bytes, bool writes, int line) {
    const Region* const region = machine().memory.find(a);
    if (!works_may_race() || !region || machine().stream_order.last().line != line) return;
    begin();
    const Address origin = region->begin & ~Address{3};
    for (Address word = a & ~Address{3}; word < a + bytes; word += 4) {
        Access access{};
        for (Address byte = std::max(word, a); byte < std::min(word + 4, a + bytes); ++byte)
            access.mask = static_cast<std::uint8_t>(access.mask | 1u << (byte - word));
        meet(granule_of(*region, (word - origin) / 4), access, 0, writes);
    }
}

void StreamRaces::begin() {
    const Work& now = machine().stream_order.last();
    if (works_.empty() || works_.back().stream != now.stream || works_.back().number != now.number) works_.push_back(now), origins_.push_back(machine().origin);
}

// What a kernel launches is over before that kernel is, and no earlier. Of what one kernel launches, one waits for the other if
// the same block launched both on the same stream, or as a tail. What the kernel itself does, that knows which launch it.
StreamRaces::Order StreamRaces::order(std::size_t first) const {
    const auto is_tail = [&](std::size_t work) { return origins_[work - 1].stream == reinterpret_cast<void*>(tail_stream); };
    const auto parent = [&](std::size_t work) { return origins_[work - 1].parent; };
    std::size_t its = first, other = works_.size();
    while (parent(its) != parent(other)) {   // a parent's number is smaller than its children's
        if (parent(other) == its) return is_tail(other) ? Order::Before : Order::ByFlags;
        if (parent(its) > parent(other)) its = parent(its);
        else other = parent(other);
    }
    const Origin &a = origins_[its - 1], &b = origins_[other - 1];
    if (its == other || !a.parent || is_tail(other)) return Order::Before;
    const bool is_in_order = (a.stream == b.stream && a.stream != reinterpret_cast<void*>(free_stream)) || events_may_order_children();
    const bool waits = a.block == b.block && is_in_order;
    return waits ? Order::Before : Order::Apart;
}

StreamRaces::Word& StreamRaces::word_of(std::uint64_t granule) {
    const auto& regions = machine().memory.regions();
    const Region& region = *regions[granule >> 40];
    words_.resize(std::max(words_.size(), regions.size()));
    Lazy<Word>& words = words_[granule >> 40];
    if (!words) words = Lazy<Word>(region.bytes / 4 + 2);
    return words[granule & ((std::uint64_t{1} << 40) - 1)];
}

StreamRaces::Life& StreamRaces::life_of(std::size_t region) {
    lives_.resize(std::max(lives_.size(), region + 1));
    return lives_[region];
}

void StreamRaces::allocated(const Region& region) {
    if (!machine().streams.empty()) life_of(granule_of(region, 0) >> 40).begin = machine().stream_order.last();
}

void StreamRaces::use(std::size_t region) {
    if (used_ == std::pair{region, works_.size()}) return;
    used_ = {region, works_.size()};
    Life& life = life_of(region);
    life.last[works_.back().stream] = works_.back();
    const Region& memory = *machine().memory.regions()[region];
    if (life.begin.line && !machine().stream_order.is_before_last(life.begin)) file(memory, memory.begin, "allocated", life.begin);
}

void StreamRaces::freed(const Region& region) {
    if (machine().streams.empty()) return;
    begin();
    for (const auto& [stream, last] : life_of(granule_of(region, 0) >> 40).last)
        if (!machine().stream_order.is_before_last(last)) file(region, region.begin, "freed", last);
}

void StreamRaces::file(const Region& region, Address place, const char* text, const Work& first) {
    if (!reported_.emplace(first.line, works_.back().line).second) return;
    Finding finding;
    finding.kind = "race";
    finding.text = text;
    finding.line = works_.back().line;
    finding.other_line = first.line;
    finding.access = finding.other_access = access_name({}, true);
    machine().findings.push_back(std::move(finding.at(region, place)));
}

void StreamRaces::meet(std::uint64_t granule, const Access& access, std::uint64_t block, bool writes) {
    use(granule >> 40);
    Word& word = word_of(granule);
    const Touch now{access, static_cast<std::uint32_t>(works_.size()), block};
    check(granule, word.write, true, access, writes);
    if (!writes) {
        // Kernels that launch each other share a stream: what the first of them has read, those that it launches may still write.
        const bool by_kernel = origins_.back().parent != 0;
        const auto is_apart = [&](const Touch& read) {
            if (!read.work) return false;
            return works_[read.work - 1].stream != works_.back().stream || (by_kernel && order(read.work) != Order::Before);
        };
        const bool keeps = by_kernel && is_apart(word.reads[1]);
        if (is_apart(word.reads[0]) && !keeps) word.reads[1] = word.reads[0];
        word.reads[0] = now;
        return;
    }
    for (const Touch& read : word.reads) check(granule, read, false, access, writes);
    word.write = now;
}

void StreamRaces::check(std::uint64_t granule, const Touch& before, bool before_writes, const Access& now, bool writes) {
    if (!before.work || !(before.access.mask & now.mask)) return;
    if (before.access.strength >= Strength::DeviceAtomic && now.strength >= Strength::DeviceAtomic) return;
    const Work &first = works_[before.work - 1], &second = works_.back();
    // What a kernel looks at by a volatile read, or an atomic, may be the flag that such a function sets.
    if ((first.on_host || second.on_host) && (before.access.strength != Strength::Plain || now.strength != Strength::Plain)) return;
    const Order order = this->order(before.work);
    const bool overlaps = second.overlaps && !awaits_ && first.stream == second.stream && first.number + 1 == second.number;
    if (!overlaps && works_are_in_order()) return;
    if ((!overlaps && order == Order::Before && machine().stream_order.is_before_last(first)) || reported_.contains({first.line, second.line})) return;
    const Region& region = *machine().memory.regions()[granule >> 40];
    const Address place = (region.begin & ~Address{3}) + (granule & ((std::uint64_t{1} << 40) - 1)) * 4;
    Acquisitions::Ordered ordered;
    if (before.work > known_ && machine().acquisitions.covers(now.acquired, before.block, before.access, place, true, ordered)) return;
    reported_.emplace(first.line, second.line);
    const auto shared = static_cast<Address>(__builtin_ctz(before.access.mask & now.mask));
    Finding finding;
    finding.kind = "race";
    finding.text = order == Order::ByFlags ? "parent" : order == Order::Apart ? "children" : overlaps ? "programmatic" : on_streams(first, second);
    finding.line = second.line;
    finding.access = access_name(now, writes);
    if (order == Order::ByFlags) finding.other_pc = before.access.pc;
    else finding.other_line = first.line;
    finding.other_access = access_name(before.access, before_writes);
    finding.at(region, place + shared);
    machine().findings.push_back(std::move(finding));
}

}  // namespace ladder
