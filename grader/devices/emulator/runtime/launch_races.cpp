#include "launch_races.h"

#include <algorithm>
#include <unordered_map>

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

struct Entry { Access access; std::uint64_t block; };
struct Word { Entry write, reads[2]; std::uint64_t value; };

Place place_of(const LaunchState& launch, std::uint64_t block, std::uint32_t thread) {
    return {block, index_of(block, launch.grid), index_of(thread, launch.block), true};
}

bool conflict(std::uint64_t granule, const Entry& before, const Access& now, std::uint64_t block) {
    if (!before.access.pc || before.block == block || !(before.access.mask & now.mask)) return false;
    if (before.access.strength >= Strength::DeviceAtomic && now.strength >= Strength::DeviceAtomic) return false;
    const Acquisitions& acquisitions = machine().acquisitions;
    const Address object = address_of(granule);
    for (const auto reach : {Acquisitions::Reach::Near, Acquisitions::Reach::All}) {   // of the two, only one can be ordered
        if (acquisitions.covers(now.acquired, before.block, before.access, object, true, reach)) return false;
        if (acquisitions.covers(before.access.acquired, block, now, object, true, reach)) return false;
    }
    return true;
}

bool is_same_value(const Word& word, const Summary& now) {
    return word.value == now.value && word.write.access.strength == Strength::Plain && now.write.strength == Strength::Plain;
}

class Reporter {
public:
    Reporter(LaunchState& launch, std::vector<Finding>& findings) : launch_(launch), findings_(findings) {}

    void operator()(std::uint64_t granule, const Entry& before, bool before_writes, const Access& now, std::uint64_t block,
                    bool now_writes, bool same_value) {
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
        finding.kernel = launch_.launch->kernel;
        finding.pc = now.pc;
        finding.place = place_of(launch_, block, now.thread);
        finding.access = access_name(now, now_writes);
        finding.other_access = access_name(before.access, before_writes);
        finding.other_pc = before.access.pc;
        finding.other = place_of(launch_, before.block, before.access.thread);
        const auto first_shared = static_cast<Address>(__builtin_ctz(now.mask & before.access.mask));
        finding.at(region, address_of(granule) + first_shared);
        const bool is_volatile = before.access.strength == Strength::Volatile || now.strength == Strength::Volatile;
        finding.text = same_value ? "same value" : is_volatile ? "volatile block" : "other block";
        findings_.push_back(std::move(finding));
    }

private:
    LaunchState& launch_;
    std::vector<Finding>& findings_;
    std::unordered_map<std::uint64_t, std::size_t> reported_;
};

void meet(Word& word, const Summary& now, std::uint64_t block, Reporter& report) {
    if (now.write.pc) {
        if (conflict(now.granule, word.write, now.write, block))
            report(now.granule, word.write, true, now.write, block, true, is_same_value(word, now));
        for (const Entry& read : word.reads)
            if (conflict(now.granule, read, now.write, block)) report(now.granule, read, false, now.write, block, true, false);
    }
    if (now.read.pc && conflict(now.granule, word.write, now.read, block)) report(now.granule, word.write, true, now.read, block, false, false);
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
}  // namespace

void LaunchRaces::add(BlockSummary summary) {
    if (summary.words.empty()) return;
    std::lock_guard lock(mutex_);
    touched_by_.resize(machine().memory.regions().size());
    const auto number = static_cast<std::uint32_t>(summary.block + 1);
    for (const Summary& now : summary.words) {
        std::uint32_t& by = entry_of(touched_by_, now.granule);
        by = by == 0 || by == number ? number : several;
    }
    blocks_.push_back(std::move(summary));
}

void LaunchRaces::check(LaunchState& launch, std::vector<Finding>& findings) {
    std::stable_sort(blocks_.begin(), blocks_.end(), [](auto& a, auto& b) { return std::pair(a.phase, a.block) < std::pair(b.phase, b.block); });
    std::vector<Lazy<Word>> words;
    Reporter report(launch, findings);
    std::uint32_t phase = ~0u;
    for (const BlockSummary& block : blocks_) {
        if (block.block > launch.schedule.stop_after.load()) continue;   // how far it came is up to chance
        if (block.phase != phase) {   // grid.sync() orders all that came before
            phase = block.phase;
            words.clear();
            words.resize(machine().memory.regions().size());
        }
        for (const Summary& now : block.words)   // mostly no other block has been there
            if (entry_of(touched_by_, now.granule) == several) meet(entry_of(words, now.granule), now, block.block, report);
    }
    machine().stream_races.launched(blocks_);
    blocks_.clear();
    touched_by_.clear();
}

}  // namespace ladder
