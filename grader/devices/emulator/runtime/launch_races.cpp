#include "launch_races.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "machine.h"

namespace ladder {

namespace {
constexpr std::uint32_t some_write = 1u << 31, several = some_write - 1;   // blocks, that is

// The block with this number, from 1, touches a word.
void note(std::uint32_t& touched_by, std::uint32_t number, bool writes) {
    const std::uint32_t before = touched_by & several;
    touched_by = (before == 0 || before == number ? number : several) | (touched_by & some_write) | (writes ? some_write : 0);
}

std::uint64_t region_of(std::uint64_t granule) { return granule >> 40; }
std::uint64_t word_of(std::uint64_t granule) { return granule & ((std::uint64_t{1} << 40) - 1); }

// Where a cluster's arrays lie is the same for all, and known to the first executor.
const Region& array_of(std::uint64_t granule) {
    if (is_of_cluster(granule)) return machine().executors[0]->clusters.place(place_of_granule(granule));
    return *machine().memory.regions()[region_of(granule)];
}

Address address_of(std::uint64_t granule) {
    const std::uint64_t word = is_of_cluster(granule) ? word_in_cluster(granule) : word_of(granule);
    return (array_of(granule).begin & ~Address{3}) + word * 4;
}

// What releases and acquisitions are known by.
std::uint64_t object_of(std::uint64_t granule) {
    return is_of_cluster(granule) ? key_in_cluster(cluster_of_granule(granule), address_of(granule)) : address_of(granule);
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

// Of two blocks between the same calls of grid.sync().
bool conflict(const LaunchState& launch, std::uint64_t granule, const BlockAccess& before, const BlockAccess& its) {
    const Access& now = its.access;
    const std::uint64_t block = its.block;
    if (!before.access.pc || before.block == block || !(before.access.mask & now.mask)) return false;
    if (are_strong(before.access, now) && same_bytes(before.access, now)) return false;
    const bool are_apart = comes_before(before.phase, its.phase) || comes_before(its.phase, before.phase);
    if (are_apart && launch.are_of_one_cluster(before.block, block)) return false;
    const Acquisitions& acquisitions = machine().acquisitions;
    const std::uint64_t object = object_of(granule);
    const std::uint64_t id = launch.id_of(block, its.phase / 2), id_before = launch.id_of(before.block, before.phase / 2);
    for (const auto reach : {Acquisitions::Reach::Near, Acquisitions::Reach::All}) {   // of the two, only one can be ordered
        if (acquisitions.covers(now.acquired, id_before, before.access, object, true, reach)) return false;
        if (acquisitions.covers(before.access.acquired, id, now, object, true, reach)) return false;
    }
    return true;
}

// Whether a read through the read-only cache comes after another block's write, whatever orders the two.
bool reads_after(const LaunchState& launch, std::uint64_t granule, const BlockAccess& write, const BlockAccess& read) {
    if (read.access.width != cached_width || !read.access.pc || !write.access.pc || read.block == write.block || !(read.access.mask & write.access.mask)) return false;
    return machine().acquisitions.covers(read.access.acquired, launch.id_of(write.block, write.phase / 2), write.access, object_of(granule), true);
}

bool is_same_value(const WordOfLaunch& word, const Summary& now) {
    if (now.write.width == freed_width || word.write.access.width == freed_width) return false;
    if (word.changes || now.changes) return false;   // the later of the two writes undoes what the other's block has made of it
    return word.value == now.value && word.write.access.strength == Strength::Plain && now.write.strength == Strength::Plain;
}

}  // namespace

bool promises(const Access& read) { return read.pc && machine().whole_program && machine().module.cached_reads.contains(read.pc); }

bool LaunchRaces::is_new(std::uint64_t key) {
    const auto known = reported_.find(key);
    if (known != reported_.end()) {
        ++findings_[known->second].count;
        return false;
    }
    if (reported_.size() >= 64) return false;
    reported_[key] = findings_.size();
    return true;
}

void LaunchRaces::report(LaunchState& launch, std::uint64_t granule, const BlockAccess& before, bool before_writes,
                         const BlockAccess& its, bool now_writes, bool same_value, const char* text) {
    const Access& now = its.access;
    const bool note = same_value || text == unchanged;
    if (!is_new((static_cast<std::uint64_t>(before.access.pc) << 32 | now.pc) * 2 + note)) return;
    const Region& region = array_of(granule);
    Finding finding;
    finding.kind = "race";
    finding.note = note;
    finding.kernel = launch.launch->kernel;
    finding.pc = now.pc;
    finding.place = place_of(launch, its.block, now.thread);
    finding.access = access_name(now, now_writes);
    finding.other_access = access_name(before.access, before_writes);
    finding.other_pc = before.access.pc;
    finding.other = place_of(launch, before.block, before.access.thread);
    const auto first_shared = static_cast<Address>(__builtin_ctz(now.mask & before.access.mask));
    finding.at(region, address_of(granule) + first_shared);
    const bool is_volatile = before.access.strength == Strength::Volatile || now.strength == Strength::Volatile;
    finding.text = same_value ? "same value" : are_strong(before.access, now) ? widths_text(before.access, now) : is_volatile ? "volatile block" : "other block";
    if (before_writes && now_writes && loses_exchange(before.access, now)) finding.text = lost;
    if (finding.text == "other block" && launch.are_of_one_cluster(before.block, its.block)) finding.text = (before.phase | its.phase) % 2 ? "cluster late" : "cluster";
    if (text) finding.text = text;
    findings_.push_back(std::move(finding));
}

void LaunchRaces::ended(const Block& block) {
    const Clusters& clusters = block.launch->clusters;
    std::uint32_t acquired = 0;
    for (const Thread& thread : block.threads) acquired = machine().acquisitions.join(acquired, thread.clock.acquired);
    std::lock_guard lock(mutex_);
    ends_[clusters.of(block.index) * clusters.blocks() + clusters.rank(block.index)] = {block.number, 2 * block.phase, acquired};
}

// A block touches another one's shared memory, which is there from that block's beginning to its end: a barrier of the cluster
// must come between, or each of them has seen of the other that it is there, or done.
void LaunchRaces::meet_life(LaunchState& launch, const Summary& now, const BlockSummary& block) {
    const std::uint64_t rank = machine().executors[0]->clusters.owner(place_of_granule(now.granule));
    if (rank == launch.clusters.rank(index_of(launch.number_of(block.block), launch.grid))) return;
    const auto end = ends_.find(cluster_of_granule(now.granule) * launch.clusters.blocks() + rank);
    if (end == ends_.end()) return;
    const bool is_late = !comes_before(block.phase, end->second.phase);
    for (const Access* access : {&now.write, &now.read}) {
        if (!access->pc) continue;
        const bool is_early = block.phase < 2 && access->acquired == 0;
        const bool outlives = is_late && !machine().acquisitions.covers(end->second.acquired, launch.id_of(block.block, block.phase / 2), *access, object_of(now.granule), true);
        if (!(is_early || outlives) || !is_new(static_cast<std::uint64_t>(access->pc) << 32)) continue;
        Finding finding;
        finding.kind = "race";
        finding.note = !outlives;   // CUDA runs the blocks of a cluster at once, and promises no more
        finding.kernel = launch.launch->kernel;
        finding.pc = access->pc;
        finding.place = place_of(launch, block.block, access->thread);
        finding.access = access_name(*access, access == &now.write);
        finding.at(array_of(now.granule), address_of(now.granule));
        finding.other = place_of(launch, end->second.block, 0);
        finding.text = outlives ? "ended" : "unbegun";
        findings_.push_back(std::move(finding));
    }
}

void LaunchRaces::meet(LaunchState& launch, WordOfLaunch& word, const Summary& now, const BlockSummary& its) {
    const std::uint64_t block = its.block;
    BlockAccess new_write{now.write, block, its.phase};
    const BlockAccess new_read{now.read, block, its.phase};
    if (word.write.access.pc && !word.write.access.quiet) new_write.access.quiet = false;   // another block may have changed it
    if (now.write.pc) {
        const BlockAccess write{beside(word.write.access, now.write, word.value == now.value), block, its.phase};
        if (conflict(launch, now.granule, word.write, write)) report(launch, now.granule, word.write, true, write, true, is_same_value(word, now));
        for (const BlockAccess& read : word.reads)
            if (conflict(launch, now.granule, read, new_write)) report(launch, now.granule, read, false, new_write, true, false, new_write.access.quiet ? unchanged : nullptr);
            else if (reads_after(launch, now.granule, new_write, read)) report(launch, now.granule, new_write, true, read, false, false, cached);
    }
    if (now.read.pc && conflict(launch, now.granule, word.write, new_read)) report(launch, now.granule, word.write, true, new_read, false, false, word.write.access.quiet ? unchanged : nullptr);
    else if (reads_after(launch, now.granule, word.write, new_read)) report(launch, now.granule, word.write, true, new_read, false, false, cached);
    meet_synced(launch, now, its);
    if (now.read.pc) {
        if (word.reads[0].access.pc && word.reads[0].block != block) word.reads[1] = word.reads[0];
        word.reads[0] = new_read;
    }
    const bool covers = word.write.access.pc && word.write.block == block && word.write.phase == its.phase && word.write.access.strength == Strength::Plain &&
                        now.write.strength != Strength::Plain;
    if (now.write.pc && !covers) {
        word.write = new_write;
        word.value = now.value;
        word.changes = now.changes;
    }
}

// What one block does to a byte of a word says nothing of what it does to the others.
void LaunchRaces::meet_in_parts(LaunchState& launch, WordOfLaunch& word, const Summary& now, const BlockSummary& its) {
    constexpr unsigned whole = 15;
    const unsigned mask = (now.write.pc ? now.write.mask : 0u) | (now.read.pc ? now.read.mask : 0u);
    auto parts = parts_.find(now.granule);
    if (parts == parts_.end()) {
        if (mask == whole) return meet(launch, word, now, its);
        parts = parts_.emplace(now.granule, std::array{word, word, word, word}).first;
    }
    for (unsigned part = 0; part < 4; ++part)
        if (mask >> part & 1) meet(launch, parts->second[part], now, its);
}

// What was written before grid.sync(), and is read behind it through the read-only cache.
void LaunchRaces::meet_synced(LaunchState& launch, const Summary& now, const BlockSummary& its) {
    if (!launch.launch->cooperative || machine().module.cached_reads.empty()) return;
    const auto found = synced_.find(now.granule);
    if (now.read.pc && now.read.width == cached_width && found != synced_.end() && found->second.grid_phase < its.grid_phase)
        report(launch, now.granule, found->second.write, true, {now.read, its.block, its.phase}, false, false, cached);
    if (now.write.pc && found == synced_.end()) synced_[now.granule] = {{now.write, its.block, its.phase}, its.grid_phase};
}

// Early, a later block may still come to any word; in the end, mostly no other block has been there.
void LaunchRaces::meet_all(LaunchState& launch, const BlockSummary& block, bool early) {
    if (block.block > launch.schedule.lowest_failed.load()) return;   // how far it came is up to chance
    if (block.grid_phase != phase_) {   // grid.sync() orders all that came before
        phase_ = block.grid_phase;
        words_.clear();
        parts_.clear();
        shared_words_.clear();
        words_.resize(machine().memory.regions().size());
    }
    for (const Summary& now : block.words) {
        const bool shared = is_of_cluster(now.granule);
        if (shared) meet_life(launch, now, block);
        const std::uint32_t touched = shared ? shared_touched_by_[now.granule] : entry_of(touched_by_, now.granule);
        if ((!early || shared) && (touched & several) != several) continue;
        if (!early && !(touched & some_write)) continue;
        WordOfLaunch& word = shared ? shared_words_[now.granule] : entry_of(words_, now.granule);
        if (early) meet(launch, word, now, block);
        else meet_in_parts(launch, word, now, block);
    }
}

void LaunchRaces::add(BlockSummary summary, LaunchState& launch) {
    if (summary.words.empty()) return;
    std::lock_guard lock(mutex_);
    touched_by_.resize(machine().memory.regions().size());
    const auto number = static_cast<std::uint32_t>(summary.block + 1);
    for (const Summary& now : summary.words) {
        std::uint32_t& by = is_of_cluster(now.granule) ? shared_touched_by_[now.granule] : entry_of(touched_by_, now.granule);
        note(by, number, now.write.pc != 0);
    }
    kept_ += summary.words.size();
    blocks_.push_back(std::move(summary));
    if (kept_ > most_kept && !launch.launch->cooperative) meet_early(launch);
}

// All that clusters have done between the same of their barriers lies together, and what grid.sync() parts is apart.
static bool comes_first(const BlockSummary& a, const BlockSummary& b) { return std::tie(a.grid_phase, a.phase, a.block) < std::tie(b.grid_phase, b.phase, b.block); }

// The blocks before which none is left to come, in their order.
void LaunchRaces::meet_early(LaunchState& launch) {
    std::uint64_t unfinished;
    {
        std::lock_guard lock(launch.schedule.mutex);
        unfinished = launch.schedule.first_unfinished();
    }
    // Of a cluster's shared memory nothing is left to come, either, once all its blocks are done.
    const auto is_done = [&](std::uint64_t cluster) { return launch.clusters.blocks_of(cluster).back() < unfinished; };
    const auto later = std::partition(blocks_.begin(), blocks_.end(), [&](auto& block) {
        return block.block < unfinished && (!launch.clusters.any() || is_done(launch.cluster_of(block.block)));
    });
    std::vector<BlockSummary> done(std::move_iterator(blocks_.begin()), std::move_iterator(later));
    blocks_.erase(blocks_.begin(), later);
    std::sort(done.begin(), done.end(), comes_first);
    for (const BlockSummary& block : done) {
        kept_ -= block.words.size();
        meet_all(launch, block, true);
    }
    std::erase_if(shared_touched_by_, [&](const auto& each) { return is_done(cluster_of_granule(each.first)); });
    std::erase_if(shared_words_, [&](const auto& each) { return is_done(cluster_of_granule(each.first)); });
    machine().stream_races.launched(done, launch);
}

void LaunchRaces::check(LaunchState& launch, std::vector<Finding>& findings) {
    std::stable_sort(blocks_.begin(), blocks_.end(), comes_first);
    for (const BlockSummary& block : blocks_) meet_all(launch, block, false);
    std::move(findings_.begin(), findings_.end(), std::back_inserter(findings));
    machine().stream_races.launched(blocks_, launch);
}

}  // namespace ladder
