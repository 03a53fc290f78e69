// Thinning: once a sampled block has run for long, one of its warps goes on for all of them.
//
// Every warp stops where it has done its share of the steps. From there the one in the middle goes on alone, as if the
// others had returned, to the block's end; what it does counts for each of them. So a block of eight warps takes little
// more than an eighth of the time. What shared memory would have got from the others is not there: values differ, but what a
// kernel does, which is what sampling wants, hangs on sizes and not on values. A kernel for which that is not so comes to
// no end, or to a finding, and is sampled again without (sampled.py).
#include <algorithm>
#include <utility>

#include "accesses.h"
#include "machine.h"
#include "replay.h"

namespace ladder {

namespace {

constexpr std::uint64_t unlike = 2;   // times the steps of another warp: then they do different work, and all go on

std::vector<std::size_t> alive_warps(const Block& block) {
    std::vector<std::size_t> alive;
    for (const WarpUnit& warp : block.warps)
        if (warp.alive()) alive.push_back(warp.number);
    return alive;
}

// Whether they are of one size, by a factor.
template <class F> bool are_close(const std::vector<std::size_t>& warps, F size) {
    const auto [least, most] = std::minmax_element(warps.begin(), warps.end(), [&](std::size_t a, std::size_t b) { return size(a) < size(b); });
    return size(*most) <= unlike * size(*least);
}

// Whether one of these can stand for the others: they have come equally far, moved as much (a block's copy may be the first
// warp's alone), and wait for no one by a name of their own.
bool are_alike(const Block& block, const std::vector<std::size_t>& alive) {
    const auto steps = [&](std::size_t w) { return block.sample->warps[w].steps; };
    const auto asked = [&](std::size_t w) { return block.sample->warps[w].asked.size(); };
    const bool spins = std::any_of(block.threads.begin(), block.threads.end(), [](const Thread& thread) { return thread.state == State::Spinning; });
    return alive.size() > 1 && are_close(alive, steps) && are_close(alive, asked) && !spins && !block.has_named;
}

void stop(WarpUnit& warp) {
    for (int l = 0; l < warp.lanes; ++l) {
        warp.threads[l].state = State::Done;
        forget_trace(warp, l);
    }
    warp.can_run = false;
}

std::uint64_t times_more(std::uint64_t now, std::uint64_t before, std::uint64_t others) { return (now - before) * others; }

}  // namespace

bool pauses(const Block& block, WarpUnit& warp) {
    WarpSample& sample = block.sample->warps[warp.number];
    if (block.sample->pause_after == 0 || sample.steps < block.sample->pause_after || !all_replayed(warp)) return false;
    sample.paused = true;
    return true;
}

bool thin(Block& block) {
    BlockSample& sample = *block.sample;
    if (std::none_of(sample.warps.begin(), sample.warps.end(), [](const WarpSample& warp) { return warp.paused; })) return false;
    const std::vector<std::size_t> alive = alive_warps(block);
    const bool alike = are_alike(block, alive);
    sample.pause_after = 0;
    for (WarpUnit& warp : block.warps) warp.can_run = warp.can_run || std::exchange(sample.warps[warp.number].paused, false);
    if (!alike) return true;
    const std::size_t drawer = warp_with_tickets(block).value_or(alive.size());   // others would wait for its next one
    const std::size_t kept = std::find(alive.begin(), alive.end(), drawer) != alive.end() ? drawer : alive[alive.size() / 2];
    for (WarpSample& warp : sample.warps) {
        warp.end_chains();
        warp.beside_others = warp.asked.size();
    }
    machine().sampling.thinned = true;   // this block alone runs
    sample.watched = false;
    sample.thinned = Thinned{kept, alive.size(), sample.warps[kept].steps, sample.warps[kept].copied, {}};
    for (const std::uint32_t pc : block.executor->sites->listed) sample.thinned->sites.push_back(site_at(*block.executor, pc));
    for (const std::size_t w : alive)
        if (w != kept) stop(block.warps[w]), sample.warps[w].stopped = true;
    return true;
}

void stand_for_others(Block& block, BlockSample& sample) {
    if (!sample.thinned) return;
    const Thinned& then = *sample.thinned;
    const std::uint64_t others = then.warps - 1;
    WarpSample& kept = sample.warps[then.kept];
    sample.others_steps = times_more(kept.steps, then.steps, others);
    kept.copied += times_more(kept.copied, then.copied, others);
    const auto& listed = block.executor->sites->listed;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        Site& site = site_at(*block.executor, listed[i]);
        const Site before = i < then.sites.size() ? then.sites[i] : Site{};
        for (const auto& [name, sum] : site_sums) site.*sum += times_more(site.*sum, before.*sum, others);
    }
}

}  // namespace ladder
