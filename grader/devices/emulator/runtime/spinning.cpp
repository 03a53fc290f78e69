// Lanes that ask for a word in vain, and whether the rest of their block needs others to change it.
#include "spinning.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "machine.h"

namespace ladder {

// Whether a lane that asks for its word again would find what it has found again and again.
static bool would_find_the_same(const Thread& thread) {
    if (thread.is_own(thread.asked, thread.asked_bytes)) return true;   // nobody else changes that
    std::uint64_t now = 0;
    if (thread.executor->find(thread.asked, thread.asked_bytes))
        std::memcpy(&now, reinterpret_cast<const void*>(thread.asked), thread.asked_bytes);
    return thread.stuck >= thread.most_looks - 1 && now == thread.found;
}

bool all_stuck(const Block& block) {
    return std::all_of(block.threads.begin(), block.threads.end(), [](const Thread& thread) {
        return thread.state != State::Spinning || would_find_the_same(thread);
    });
}

bool may_be_stuck(const Block& block) {
    bool asks_others = false;
    for (const Thread& thread : block.threads) {
        if (thread.state != State::Spinning) continue;
        if (thread.stuck < thread.most_looks - 1) return false;
        asks_others = asks_others || machine().memory.all_blocks_see(thread.asked);
    }
    return asks_others || all_stuck(block);
}

static bool needs_others(const Thread& thread) { return thread.state == State::Done || thread.state == State::AtBarrier; }

bool all_need_others(const WarpUnit& warp) { return std::all_of(warp.threads, warp.threads + warp.lanes, needs_others); }

bool rest_needs_others(const Block& block) {
    return std::all_of(block.warps.begin(), block.warps.end(), [](const WarpUnit& warp) { return warp.can_run || warp.needs_others; });
}

bool only_spins(const Block& block) {
    bool spins = false;
    for (const WarpUnit& warp : block.warps) {
        if (!warp.can_run) continue;
        for (const Thread& thread : std::span(warp.threads, static_cast<std::size_t>(warp.lanes))) {
            spins = spins || thread.state == State::Spinning;
            if (!needs_others(thread) && (thread.state != State::Spinning || !would_find_the_same(thread))) return false;
        }
    }
    return spins && block.has_ordered && !block.stopped && !block.sample;
}

}  // namespace ladder
