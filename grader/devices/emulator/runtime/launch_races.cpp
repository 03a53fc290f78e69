#include "launch_races.h"

#include <algorithm>
#include <iterator>

#include "machine.h"

namespace ladder {

namespace {
constexpr std::uint32_t several = ~0u;   // blocks, that is

std::uint64_t region_of(std::uint64_t granule) { return granule >> 40; }
std::uint64_t word_of(std::uint64_t granule) { return granule & ((std::uint64_t{1} << 40) - 1); }

Address address_of(std::uint64_t granule) {
    return (machine().memory.regions()[region_of(granule)]->begin & ~Address{3}) + word_of(granule) * 4;
}

template <class T> T& entry_of(std::vector<Lazy<T>>& tables, std::uint64_t granule) {
    auto& table = tables[region_of(granule)];
    if (!table) table = Lazy<T>(machine().memory.regions()[region_of(granule)]->bytes / 4 + 2);
    return table[word_of(granule)];
}

// Words of finished blocks that are kept until the launch is over. When there are more, the first blocks are looked at, and
// then the memory depends on the data's size only, and not on how often it is read.
constexpr std::size_t most_kept = std::size_t{1} << 21;

Place place_of(const LaunchState& launch, std::uint64_t block, std::uint32_t thread) {
    return {block, index_of(block, launch.grid), index_of(thread, launch.block), true};
}

// Which excludes others of other blocks.
bool are_strong(const Access& a, const Access& b) { return a.strength >= Strength::DeviceAtomic && b.strength >= Strength::DeviceAtomic; }

// Of two blocks in the same phase.
bool conflict(const LaunchState& launch, std::uint32_t phase, std::uint64_t granule, const BlockAccess& before, const Access& now, std::uint64_t block) {
    if (!before.access.pc || before.block == block || !(before.access.mask & now.mask)) return false;
    if (are_strong(before.access, now) && same_bytes(before.access, now)) return false;
    const Acquisitions& acquisitions = machine().acquisitions;
    const Address object = address_of(granule);
    const std::uint64_t id = launch.id_of(block, phase), id_before = launch.id_of(before.block, phase);
    for (const auto reach : {Acquisitions::Reach::Near, Acquisitions::Reach::All}) {   // of the two, only one can be ordered
        if (acquisitions.covers(now.acquired, id_before, before.access, object, true, reach)) return false;
        if (acquisitions.covers(before.access.acquired, id, now, object, true, reach)) return false;
    }
    return true;
}

bool is_same_value(const WordOfLaunch& word, const Summary& now) {
    return word.value == now.value && word.write.access.strength == Strength::Plain && now.write.strength == Strength::Plain;
}

}  // namespace

void LaunchRaces::report(LaunchState& launch, std::uint64_t granule, const BlockAccess& before, bool before_writes, const Access& now,
                         std::uint64_t block, bool now_writes, bool same_value) {
    const std::uint64_t key = (static_cast<std::uint64_t>(before.access.pc) << 32 | now.pc) * 2 + same_value;
    const auto known = reported_.find(key);
    if (known != reported_.end()) {
        ++findings_[known->second].count;
        return;
    }
    if (reported_.size() >= 64) return;
    reported_[key] = findings_.size();
    const Region& region = *machine().memory.regions()[region_of(granule)];
    Finding finding;
    finding.kind = "race";
    finding.note = same_value;
    finding.kernel = launch.launch->kernel;
    finding.pc = now.pc;
    finding.place = place_of(launch, block, now.thread);
    finding.access = access_name(now, now_writes);
    finding.other_access = access_name(before.access, before_writes);
    finding.other_pc = before.access.pc;
    finding.other = place_of(launch, before.block, before.access.thread);
    const auto first_shared = static_cast<Address>(__builtin_ctz(now.mask & before.access.mask));
    finding.at(region, address_of(granule) + first_shared);
    const bool is_volatile = before.access.strength == Strength::Volatile || now.strength == Strength::Volatile;
    finding.text = same_value ? "same value" : are_strong(before.access, now) ? widths_text(before.access, now) : is_volatile ? "volatile block" : "other block";
    if (before_writes && now_writes && loses_exchange(before.access, now)) finding.text = lost;
    findings_.push_back(std::move(finding));
}

void LaunchRaces::meet(LaunchState& launch, WordOfLaunch& word, const Summary& now, std::uint64_t block) {
    if (now.write.pc) {
        const Access write = beside(word.write.access, now.write, word.value == now.value);
        if (conflict(launch, phase_, now.granule, word.write, write, block))
            report(launch, now.granule, word.write, true, write, block, true, is_same_value(word, now));
        for (const BlockAccess& read : word.reads)
            if (conflict(launch, phase_, now.granule, read, now.write, block)) report(launch, now.granule, read, false, now.write, block, true, false);
    }
    if (now.read.pc && conflict(launch, phase_, now.granule, word.write, now.read, block))
        report(launch, now.granule, word.write, true, now.read, block, false, false);
    if (now.read.pc) {
        if (word.reads[0].access.pc && word.reads[0].block != block) word.reads[1] = word.reads[0];
        word.reads[0] = {now.read, block};
    }
    const bool covers = word.write.access.pc && word.write.block == block && word.write.access.strength == Strength::Plain &&
                        now.write.strength != Strength::Plain;
    if (now.write.pc && !covers) {
        word.write = {now.write, block};
        word.value = now.value;
    }
}

// Early, a later block may still come to any word; in the end, mostly no other block has been there.
void LaunchRaces::meet_all(LaunchState& launch, const BlockSummary& block, bool early) {
    if (block.block > launch.schedule.lowest_failed.load()) return;   // how far it came is up to chance
    if (block.phase != phase_) {   // grid.sync() orders all that came before
        phase_ = block.phase;
        words_.clear();
        words_.resize(machine().memory.regions().size());
    }
    for (const Summary& now : block.words)
        if (early || entry_of(touched_by_, now.granule) == several) meet(launch, entry_of(words_, now.granule), now, block.block);
}

void LaunchRaces::add(BlockSummary summary, LaunchState& launch) {
    if (summary.words.empty()) return;
    std::lock_guard lock(mutex_);
    touched_by_.resize(machine().memory.regions().size());
    const auto number = static_cast<std::uint32_t>(summary.block + 1);
    for (const Summary& now : summary.words) {
        std::uint32_t& by = entry_of(touched_by_, now.granule);
        by = by == 0 || by == number ? number : several;
    }
    kept_ += summary.words.size();
    blocks_.push_back(std::move(summary));
    if (kept_ > most_kept && !launch.launch->cooperative) meet_early(launch);
}

// The blocks before which none is left to come, in their order.
void LaunchRaces::meet_early(LaunchState& launch) {
    std::uint64_t unfinished;
    {
        std::lock_guard lock(launch.schedule.mutex);
        unfinished = launch.schedule.first_unfinished();
    }
    const auto later = std::partition(blocks_.begin(), blocks_.end(), [&](auto& block) { return block.block < unfinished; });
    std::vector<BlockSummary> done(std::move_iterator(blocks_.begin()), std::move_iterator(later));
    blocks_.erase(blocks_.begin(), later);
    std::sort(done.begin(), done.end(), [](auto& a, auto& b) { return a.block < b.block; });
    for (const BlockSummary& block : done) {
        kept_ -= block.words.size();
        meet_all(launch, block, true);
    }
    machine().stream_races.launched(done, launch);
}

void LaunchRaces::check(LaunchState& launch, std::vector<Finding>& findings) {
    std::stable_sort(blocks_.begin(), blocks_.end(), [](auto& a, auto& b) { return std::pair(a.phase, a.block) < std::pair(b.phase, b.block); });
    for (const BlockSummary& block : blocks_) meet_all(launch, block, false);
    std::move(findings_.begin(), findings_.end(), std::back_inserter(findings));
    machine().stream_races.launched(blocks_, launch);
}

}  // namespace ladder
