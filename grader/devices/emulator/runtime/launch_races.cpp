#include "launch_races.h"

#include <algorithm>
#include <iterator>
#include <thread>
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

// Words of finished blocks that are kept until the launch is over. When there are more, the first blocks are looked at, and
// then the memory depends on the data's size only, and not on how often it is read.
constexpr std::size_t most_kept = std::size_t{1} << 21;

// Neighbours lie in one share: a page of what is known of words is then touched by one executor.
constexpr std::uint64_t words_together = 1024;
constexpr std::size_t words_of_a_thread = std::size_t{1} << 14;   // it takes as long to begin one as to look at a tenth of that
constexpr std::size_t fewest_threads = 4;   // of two, each waits so long for the other's new pages that both take longer than one

// What several shares have found at the same two places is one finding, of the first of them; and so many are told.
void merge(std::vector<WordRaces>& shares, std::vector<Finding>& findings) {
    constexpr std::size_t most = 64;
    std::vector<WordRaces::Found> found;
    for (WordRaces& share : shares) std::move(share.found.begin(), share.found.end(), std::back_inserter(found));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (WordRaces::Found& each : found) {
        const auto [place, is_first] = known.try_emplace(each.key, findings.size());
        if (!is_first) {
            if (place->second < findings.size()) findings[place->second].count += each.finding.count;
        } else if (known.size() <= most) {
            findings.push_back(std::move(each.finding));
        } else {
            place->second = ~std::size_t{0};
        }
    }
}

// All that clusters have done between the same of their barriers lies together, and what grid.sync() parts is apart.
bool comes_first(const BlockSummary& a, const BlockSummary& b) { return std::tie(a.grid_phase, a.phase, a.block) < std::tie(b.grid_phase, b.phase, b.block); }

}  // namespace

void LaunchRaces::ended(const Block& block) {
    const Clusters& clusters = block.launch->clusters;
    std::uint32_t acquired = 0;
    for (const Thread& thread : block.threads) acquired = machine().acquisitions.join(acquired, thread.clock.acquired);
    std::lock_guard lock(mutex_);
    ends_[clusters.of(block.index) * clusters.blocks() + clusters.rank(block.index)] = {block.number, 2 * block.phase, acquired};
}

std::size_t LaunchRaces::share_of(std::uint64_t granule) const { return granule / words_together % shares_.size(); }

std::uint32_t& LaunchRaces::touched_by(std::uint64_t granule) {
    return is_of_cluster(granule) ? shared_touched_by_[granule] : touched_by_[granule];
}

// Early, a later block may still come to any word; in the end, mostly no other block has been there.
void LaunchRaces::meet_all(LaunchState& launch, const BlockSummary& block, std::uint64_t order, std::size_t share, bool early) {
    if (block.block > launch.schedule.lowest_failed.load()) return;   // how far it came is up to chance
    for (std::size_t s = 0; s < shares_.size(); ++s)
        if (share == all_shares || share == s) shares_[s].begin(block.grid_phase);
    for (const Summary& now : block.words) {
        ++order;
        const std::size_t its = share_of(now.granule);
        if (share != all_shares && share != its) continue;
        const bool shared = is_of_cluster(now.granule);
        if (shared) shares_[its].meet_life(launch, now, block, ends_, order);
        const std::uint32_t touched = touched_by(now.granule);
        if ((!early || shared) && (touched & several) != several) continue;
        if (!early && !(touched & some_write)) continue;
        shares_[its].meet(launch, now, block, order, !early);
    }
}

void LaunchRaces::meet_blocks(LaunchState& launch, const std::vector<BlockSummary>& blocks, std::size_t share, bool early) {
    std::uint64_t order = met_ << 32;
    for (const BlockSummary& block : blocks) meet_all(launch, block, order, share, early), order += block.words.size();
}

void LaunchRaces::add(BlockSummary summary, LaunchState& launch) {
    if (summary.words.empty()) return;
    std::lock_guard lock(mutex_);
    if (shares_.empty()) shares_.resize(launch.executors);
    const auto number = static_cast<std::uint32_t>(summary.block + 1);
    for (const Summary& now : summary.words) note(touched_by(now.granule), number, now.write.pc != 0);
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
    // Of a cluster's shared memory nothing is left to come, either, once all its blocks are done.
    const auto is_done = [&](std::uint64_t cluster) { return launch.clusters.blocks_of(cluster).back() < unfinished; };
    const auto later = std::partition(blocks_.begin(), blocks_.end(), [&](auto& block) {
        return block.block < unfinished && (!launch.clusters.any() || is_done(launch.cluster_of(block.block)));
    });
    std::vector<BlockSummary> done(std::move_iterator(blocks_.begin()), std::move_iterator(later));
    blocks_.erase(blocks_.begin(), later);
    std::sort(done.begin(), done.end(), comes_first);
    for (const BlockSummary& block : done) kept_ -= block.words.size();
    meet_blocks(launch, done, all_shares, true);
    met_ += done.size();
    std::erase_if(shared_touched_by_, [&](const auto& each) { return is_done(cluster_of_granule(each.first)); });
    for (WordRaces& share : shares_) share.forget_shared(is_done);
    machine().stream_races.launched(done, launch);
}

void LaunchRaces::check(LaunchState& launch, std::vector<Finding>& findings) {
    std::stable_sort(blocks_.begin(), blocks_.end(), comes_first);
    if (kept_ < words_of_a_thread || shares_.size() < fewest_threads) {
        meet_blocks(launch, blocks_, all_shares, false);
    } else {
        machine().acquisitions.rest(true);
        std::vector<std::thread> others;
        for (std::size_t s = 1; s < shares_.size(); ++s) others.emplace_back([&, s] { meet_blocks(launch, blocks_, s, false); });
        meet_blocks(launch, blocks_, 0, false);
        for (std::thread& other : others) other.join();
        machine().acquisitions.rest(false);
    }
    merge(shares_, findings);
    machine().stream_races.launched(blocks_, launch);
}

}  // namespace ladder
