// Tickets in a sampled launch, of which a few blocks run: `while ((tile = atomicAdd(&next, 1)) < tiles)` would have these do
// the work of all. So where a thread comes back for another one, the blocks that do not run have drawn as many meanwhile.
#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "machine.h"

namespace ladder {

void draw_for_others(const Thread& thread, const Region& region, Atomic op, Type type, void* word, std::uint64_t value) {
    Sampling& sampling = machine().sampling;
    if (!sampling.on() || op != Atomic::Add || value == 0 || type < Type::I32 || type > Type::U64) return;
    if (region.of_task || region.space != Space::Global) return;
    const LaunchState& launch = *thread.block->launch;
    const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z, ran = launch.chosen.size();
    if (ran == 0 || ran >= blocks) return;
    const unsigned bytes = type > Type::U32 ? 8 : 4;
    const auto a = reinterpret_cast<Address>(word);
    std::lock_guard lock(sampling.mutex);
    const auto key = std::tuple(a, thread.block->number, std::uint32_t{thread.number});
    if (sampling.drawn.size() >= most_tickets && !sampling.drawn.contains(key)) return;
    if (const auto last = sampling.after_tickets.find(a); last != sampling.after_tickets.end()) {
        std::memcpy(word, &last->second, bytes);
        sampling.after_tickets.erase(last);
    }
    std::uint64_t before = 0;
    std::memcpy(&before, word, bytes);
    sampling.before_tickets.try_emplace(a, before);
    Drawn& drawn = sampling.drawn[key];
    if (std::exchange(drawn.value, value) != value) drawn.times = 0;
    if (drawn.times++ == 0) return;
    const std::uint64_t now = before + (blocks / ran - 1) * value;
    std::memcpy(word, &now, bytes);   // the lower half, if it has no more
}

std::optional<std::size_t> warp_with_tickets(const Block& block) {
    const Sampling& sampling = machine().sampling;
    const auto its = std::find_if(sampling.drawn.begin(), sampling.drawn.end(), [&](const auto& each) { return std::get<1>(each.first) == block.number; });
    if (its == sampling.drawn.end()) return std::nullopt;
    return std::get<2>(its->first) / warp_lanes;
}

void Sampling::begin_tickets() {
    drawn.clear();
    after_tickets = std::exchange(before_tickets, {});
}

}  // namespace ladder
