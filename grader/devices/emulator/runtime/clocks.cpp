#include "clocks.h"

#include <algorithm>
#include <utility>

#include "machine.h"
#include "watching.h"

namespace ladder {

std::string widths_text(const Access& a, const Access& b) {
    const auto [less, more] = std::minmax<unsigned>({a.width, b.width});
    return "widths " + std::to_string(1u << less) + ' ' + std::to_string(1u << more);
}

const char* loses_exchange(const Access& before, const Access& now) {
    const Module& module = machine().module;
    if (!is_atomic(before.strength)) return nullptr;   // `now` may count as a plain write by then
    const auto update = module.updates.find(now.pc);
    if (update != module.updates.end() && module.updates.contains(before.pc))
        return update->second == Loses::Exchange ? "lost update" : update->second == Loses::Swap ? "lost swap" : lost_step;
    return module.overwrites.contains(before.pc) && module.overwrites.contains(now.pc) ? lost : nullptr;
}

Access beside(const Access& before, Access now, bool same_value) {
    const auto is_volatile = [](Strength strength) { return strength == Strength::Volatile || strength == Strength::BlockVolatile; };
    const Module& module = machine().module;
    if (!before.pc || (module.overwrites.empty() && module.updates.empty())) return now;
    if (is_volatile(before.strength) && is_volatile(now.strength)) {
        if (!same_value && (module.overwrites.contains(before.pc) || module.overwrites.contains(now.pc))) now.strength = Strength::Plain;
    } else if (const char* const text = loses_exchange(before, now); text && !(text == lost && same_value)) {
        now.strength = Strength::Plain;
    }
    return now;
}

std::uint64_t object_key(const Block& block, Address a) {
    if (machine().memory.all_blocks_see(a)) return a;
    const Clusters& clusters = block.launch->clusters;
    return clusters.any() ? key_in_cluster(clusters.of(block.index), block.executor->clusters.home(a)) : a ^ (block.id + 1) << 48;
}

static void has_acquired(Thread& thread, std::uint32_t set) {
    if (set == thread.clock.acquired) return;
    thread.clock.acquired = set;
    publish_to_lanes(thread);
    record(thread, Event::Acquired, 0, set, 0, no_region);
}

void fence(Thread& thread, Scope scope) {
    ThreadClock& clock = thread.clock;
    if (scope == Scope::System) thread.block->launch->tells_host = true;
    clock.fenced = true;
    clock.fenced_device = clock.fenced_device || scope != Scope::Block;
    clock.fence_epoch = thread.block->clock.epoch;
    clock.fence_tick = clock.tick;
    clock.fence_clocks = thread.warp->clock.strong_row();
    BlockClock& block = thread.block->clock;
    block.fenced = true;
    block.device_fence = block.device_fence || scope != Scope::Block;
    record(thread, Event::Clock, 0, ++clock.tick, 0, no_region);
    if (clock.seen) has_acquired(thread, machine().acquisitions.join(clock.acquired, std::exchange(clock.seen, 0)));
}

void arrive_in_cluster(Thread& thread) {
    settle_store(thread);
    thread.clock.arrival = ++thread.clock.tick;
    record(thread, Event::Clock, 0, thread.clock.tick, 0, no_region);
}

void await_dependency(Thread& thread) {
    if (thread.clock.dependency != not_arrived) return;
    settle_store(thread);
    thread.clock.dependency = ++thread.clock.tick;
    std::uint32_t& first = thread.block->clock.dependency_epoch;
    first = std::min(first, thread.block->clock.epoch);
    record(thread, Event::Clock, 0, thread.clock.tick, 0, no_region);
}

std::uint32_t release_to_child(Thread& thread) {
    settle_store(thread);
    static std::atomic<std::uint64_t> last_child{std::uint64_t{0xfff} << 52};   // where no memory is
    const BlockClock& block = thread.block->clock;
    ThreadClock& clock = thread.clock;
    Acquisitions& acquisitions = machine().acquisitions;
    const std::uint64_t child = ++last_child;
    acquisitions.release(child, any_width, {thread.block->id, block.epoch, block.epoch, thread.number, clock.tick, thread.number / warp_lanes,
                                            thread.warp->clock.strong_row(), block.fences, true, clock.acquired, 0, {}});
    record(thread, Event::Clock, 0, ++clock.tick, 0, no_region);
    return acquisitions.acquire(child, any_width, 0, {~std::uint64_t{0}, 0}, ~0u);
}

void release(Thread& thread, Address a, unsigned width, Scope scope) {
    const ThreadClock& clock = thread.clock;
    const BlockClock& block = thread.block->clock;
    if (!clock.fenced && !block.fences) return;
    Release release{};
    release.block = thread.block->id;
    release.epoch = block.epoch;
    release.fence_epoch = clock.fenced ? clock.fence_epoch : 0;
    release.fences = block.fences;
    release.thread = clock.fenced ? thread.number : ~0u;
    release.tick = clock.fence_tick;
    release.warp = clock.fenced ? thread.number / 32u : ~0u;
    release.clocks = clock.fence_clocks;
    release.device = clock.fenced ? clock.fenced_device || (block.fences && block.device_fence) : block.device_fence;
    release.device = release.device && scope != Scope::Block;
    release.includes = clock.acquired;
    Acquisitions& acquisitions = machine().acquisitions;
    const Acquired last{object_key(*thread.block, a), width, acquisitions.releases()};
    acquisitions.release(last.object, width, std::move(release));
    if (thread.acquired_last == last) thread.acquired_last.releases = acquisitions.releases();   // its own is nothing new to it
    thread.warp->have_released |= 1u << thread.lane;
}

// An operation of block scope and another block's are no pair that synchronises (PTX ISA, "Morally Strong Operations").
void acquire(Thread& thread, Address a, unsigned width, Acquires when, Scope scope, std::uint32_t until) {
    Acquisitions& acquisitions = machine().acquisitions;
    if (acquisitions.empty() || when == Acquires::Never) return;
    const std::uint64_t object = object_key(*thread.block, a);
    if (scope == Scope::Block && !acquisitions.last_is_of(thread.block->id, object, width)) return;
    if (when == Acquires::Now) {
        const Acquired now{object, width, std::min(until, acquisitions.releases())};
        const Acquired last = std::exchange(thread.acquired_last, now);
        if (last == now) return;
        return has_acquired(thread, acquisitions.acquire(object, width, thread.clock.acquired, {thread.block->id, thread.number, last}, until));
    }
    thread.clock.seen = acquisitions.acquire(object, width, thread.clock.seen, {thread.block->id, thread.number}, until);
    publish_to_lanes(thread);
}

}  // namespace ladder
