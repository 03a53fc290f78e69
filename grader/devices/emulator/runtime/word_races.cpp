#include "word_races.h"

#include <utility>

#include "machine.h"

namespace ladder {

namespace {
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

Place place_of(const LaunchState& launch, std::uint64_t block, std::uint32_t thread) {
    return {block, index_of(block, launch.grid), index_of(thread, launch.block), true};
}

// Which excludes others of other blocks.
bool are_strong(const Access& a, const Access& b) { return a.strength >= Strength::DeviceAtomic && b.strength >= Strength::DeviceAtomic; }

bool is_same_value(const WordOfLaunch& word, const Summary& now) {
    if (now.write.width == freed_width || word.write.access.width == freed_width) return false;
    if (word.changes || now.changes) return false;   // the later of the two writes undoes what the other's block has made of it
    return word.value == now.value && word.write.access.strength == Strength::Plain && now.write.strength == Strength::Plain;
}

}  // namespace

template <class T> T& ByWord<T>::operator[](std::uint64_t granule) {
    const auto& regions = machine().memory.regions();
    if (tables_.size() < regions.size()) tables_.resize(regions.size());
    auto& table = tables_[region_of(granule)];
    if (!table) table = Lazy<T>(regions[region_of(granule)]->bytes / 4 + 2);
    return table[word_of(granule)];
}
template class ByWord<std::uint32_t>;

bool promises(const Access& read) { return read.pc && machine().whole_program && machine().module.cached_reads.contains(read.pc); }

void WordRaces::begin(std::uint32_t grid_phase) {
    if (std::exchange(phase_, grid_phase) == grid_phase) return;
    words_.clear();
    parts_.clear();
    shared_words_.clear();
}

void WordRaces::forget_shared(const std::function<bool(std::uint64_t)>& is_done) {
    std::erase_if(shared_words_, [&](const auto& each) { return is_done(cluster_of_granule(each.first)); });
}

void WordRaces::meet(LaunchState& launch, const Summary& now, const BlockSummary& block, std::uint64_t order, bool in_parts) {
    order_ = order;
    WordOfLaunch& word = is_of_cluster(now.granule) ? shared_words_[now.granule] : words_[now.granule];
    if (in_parts) meet_in_parts(launch, word, now, block);
    else meet_whole(launch, word, now, block);
}

// Of two blocks between the same calls of grid.sync().
bool WordRaces::conflict(const LaunchState& launch, std::uint64_t granule, const BlockAccess& before, const BlockAccess& its) {
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
        if (acquisitions.covers(now.acquired, id_before, before.access, object, true, ordered_, reach)) return false;
        if (acquisitions.covers(before.access.acquired, id, now, object, true, ordered_, reach)) return false;
    }
    return true;
}

// Whether a read through the read-only cache comes after another block's write, whatever orders the two.
bool WordRaces::reads_after(const LaunchState& launch, std::uint64_t granule, const BlockAccess& write, const BlockAccess& read) {
    if (read.access.width != cached_width || !read.access.pc || !write.access.pc || read.block == write.block || !(read.access.mask & write.access.mask)) return false;
    return machine().acquisitions.covers(read.access.acquired, launch.id_of(write.block, write.phase / 2), write.access, object_of(granule), true, ordered_);
}

bool WordRaces::is_new(std::uint64_t key) {
    const auto [known, is_first] = known_.try_emplace(key, found.size());
    if (!is_first) ++found[known->second].finding.count;
    return is_first;
}

void WordRaces::report(LaunchState& launch, std::uint64_t granule, const BlockAccess& before, bool before_writes,
                        const BlockAccess& its, bool now_writes, bool same_value, const char* text) {
    const Access& now = its.access;
    const bool note = same_value || text == unchanged;
    const std::uint64_t key = (static_cast<std::uint64_t>(before.access.pc) << 32 | now.pc) * 2 + note;
    if (!is_new(key)) return;
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
    if (const char* const what = before_writes && now_writes ? loses_exchange(before.access, now) : nullptr) finding.text = what, finding.note = finding.note || what == lost_step;
    if (finding.text == "other block" && launch.are_of_one_cluster(before.block, its.block)) finding.text = (before.phase | its.phase) % 2 ? "cluster late" : "cluster";
    if (text) finding.text = text;
    add(key, std::move(finding));
}

// A block touches another one's shared memory, which is there from that block's beginning to its end: a barrier of the cluster
// must come between, or each of them has seen of the other that it is there, or done.
void WordRaces::meet_life(LaunchState& launch, const Summary& now, const BlockSummary& block, const EndsOfBlocks& ends, std::uint64_t order) {
    order_ = order;
    const std::uint64_t rank = machine().executors[0]->clusters.owner(place_of_granule(now.granule));
    if (rank == launch.clusters.rank(index_of(launch.number_of(block.block), launch.grid))) return;
    const auto end = ends.find(cluster_of_granule(now.granule) * launch.clusters.blocks() + rank);
    if (end == ends.end()) return;
    const bool is_late = !comes_before(block.phase, end->second.phase);
    for (const Access* access : {&now.write, &now.read}) {
        if (!access->pc) continue;
        const bool is_early = block.phase < 2 && access->acquired == 0;
        const bool outlives = is_late && !machine().acquisitions.covers(end->second.acquired, launch.id_of(block.block, block.phase / 2), *access, object_of(now.granule), true, ordered_);
        const std::uint64_t key = static_cast<std::uint64_t>(access->pc) << 32;
        if (!(is_early || outlives) || !is_new(key)) continue;
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
        add(key, std::move(finding));
    }
}

void WordRaces::meet_whole(LaunchState& launch, WordOfLaunch& word, const Summary& now, const BlockSummary& its) {
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
void WordRaces::meet_in_parts(LaunchState& launch, WordOfLaunch& word, const Summary& now, const BlockSummary& its) {
    constexpr unsigned whole = 15;
    const unsigned mask = (now.write.pc ? now.write.mask : 0u) | (now.read.pc ? now.read.mask : 0u);
    auto parts = parts_.find(now.granule);
    if (parts == parts_.end()) {
        if (mask == whole) return meet_whole(launch, word, now, its);
        parts = parts_.emplace(now.granule, std::array{word, word, word, word}).first;
    }
    for (unsigned part = 0; part < 4; ++part)
        if (mask >> part & 1) meet_whole(launch, parts->second[part], now, its);
}

// What was written before grid.sync(), and is read behind it through the read-only cache.
void WordRaces::meet_synced(LaunchState& launch, const Summary& now, const BlockSummary& its) {
    if (!launch.launch->cooperative || machine().module.cached_reads.empty()) return;
    const auto found = synced_.find(now.granule);
    if (now.read.pc && now.read.width == cached_width && found != synced_.end() && found->second.grid_phase < its.grid_phase)
        report(launch, now.granule, found->second.write, true, {now.read, its.block, its.phase}, false, false, cached);
    if (now.write.pc && found == synced_.end()) synced_[now.granule] = {{now.write, its.block, its.phase}, its.grid_phase};
}

}  // namespace ladder
