// Replay: 32 recorded traces become warp instructions, and from these come the counters.
//
// A warp runs the lanes at the lowest program counter first (deepest call first), so lanes that went different ways meet
// again where their ways join: gcc lays the blocks out in source order (-fno-reorder-blocks). tinygrad's PTX emulator does
// the same. The accesses that meet at one program counter are one warp instruction, a *request* (request.h).
#include "replay.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "accesses.h"
#include "machine.h"
#include "matrices.h"

namespace ladder {

namespace {

constexpr std::int32_t idle_key = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t needs_trace_key = std::numeric_limits<std::int32_t>::min();

std::int32_t key_of(std::uint32_t depth, std::uint32_t pc) {
    return static_cast<std::int32_t>((7 - std::min(depth, 7u)) << 28 | (pc & 0x0fffffffu));
}

// Keys of lanes that wait in a warp operation: their place in the code once all lanes that it names have come, else idle.
void key_waiting_lanes(WarpUnit& warp) {
    std::uint32_t arrived = 0;
    warp.operation_due = false;
    for (int l = 0; l < warp.lanes; ++l)
        if (warp.threads[l].state == State::AtWarp && warp.cursor[l].next == warp.cursor[l].end) arrived |= 1u << l;
    while (arrived) {
        const WarpRequest& request = warp.threads[__builtin_ctz(arrived)].request;
        std::uint32_t same = 0;
        each_lane(arrived, [&](int l) { same |= static_cast<std::uint32_t>(same_operation(request, warp.threads[l].request)) << l; });
        arrived &= ~same;
        const std::uint32_t needed = request.op == active_mask_op ? same : request.mask & warp.alive();
        const std::uint32_t complete = needed & ~same ? 0 : needed;
        each_lane(same, [&](int l) {
            warp.key[l] = complete >> l & 1 ? key_of(warp.cursor[l].depth, warp.threads[l].request.pc) : idle_key;
        });
        warp.operation_due = warp.operation_due || complete;
    }
}

void advance(WarpUnit& warp, int lane, bool& arrivals) {
    Cursor& cursor = warp.cursor[lane];
    if (cursor.next < cursor.end) {
        warp.key[lane] = key_of(cursor.depth, cursor.next->pc);
        return;
    }
    const State state = warp.threads[lane].state;
    warp.key[lane] = state == State::Full || state == State::Spinning || state == State::Ordered || state == State::Ready ? needs_trace_key : idle_key;
    arrivals = arrivals || state == State::AtWarp || state == State::Done;
}

// ---- one warp instruction ----

void enter_block(Executor& executor, WarpUnit& warp, const Request& request) {
    const std::uint32_t mask = request.mask;
    if (!machine().watched.counters) return;
    Site& site = site_at(executor, request.record.pc);
    site.kind = Event::Block;
    site.warps += 1;
    site.threads += static_cast<std::uint64_t>(request.lanes);
    if (warp.block->sample) warp.block->sample->warps[warp.number].enter_block();
    // Did the block that these lanes came from send other lanes elsewhere? Not if this is the whole warp.
    const std::uint32_t number = warp.next_branch++;
    if (mask == ~0u) std::fill_n(warp.came_from, warp_lanes, number);
    std::uint32_t seen = ~0u;
    each_lane(mask == ~0u ? 0 : mask, [&](int l) {
        const std::uint32_t came_from = std::exchange(warp.came_from[l], number);
        if (came_from == seen) return;
        seen = came_from;
        Branch& branch = warp.branches[came_from % 64];
        if (branch.divergent || (branch.mask & ~mask) == 0) return;
        branch.divergent = true;
        if (branch.pc) site_at(executor, branch.pc).divergent += 1;
    });
    warp.branches[number % 64] = {mask, request.record.pc, false};
}

void count_tensor(Executor& executor, const Request& request) {
    Site& site = site_at(executor, request.record.pc);
    site.kind = Event::Tensor;
    site.bytes = static_cast<std::uint8_t>(request.bytes);
    site.warps += 1;
    site.threads += static_cast<std::uint64_t>(request.lanes);
}

void count_arithmetic(Executor& executor, const Request& request) {
    if (!machine().watched.counters) return;
    Site& site = site_at(executor, request.record.pc);
    site.kind = Event::Arithmetic;
    site.warps += 1;
    site.threads += static_cast<std::uint64_t>(request.lanes);
}

void step(Executor& executor, WarpUnit& warp, const Request& request) {
    if (warp.block->recorded) machine().recorder.request(executor, warp, request.mask);
    const auto number = [&](int l) { return static_cast<std::uint32_t>(warp.cursor[l].next->address); };
    switch (request.record.event) {
        case Event::Block: enter_block(executor, warp, request); break;
        case Event::Value: replay_value(executor, warp, request); break;
        case Event::Call: each_lane(request.mask, [&](int l) { ++warp.cursor[l].depth; }); break;
        case Event::Return: each_lane(request.mask, [&](int l) { warp.cursor[l].depth -= warp.cursor[l].depth > 0; }); break;
        case Event::Clock: each_lane(request.mask, [&](int l) { warp.cursor[l].tick = number(l); }); break;
        case Event::Acquired: each_lane(request.mask, [&](int l) { warp.cursor[l].acquired = number(l); }); break;
        case Event::Issued:
        case Event::Landed: replay_copy(executor, warp, request); break;
        case Event::Taken:
        case Event::Given: replay_source(executor, warp, request); break;
        case Event::Freed: replay_free(executor, warp, request); break;
        case Event::Tensor: count_tensor(executor, request); break;
        case Event::Arithmetic: count_arithmetic(executor, request); break;
        case Event::PartRead: replay_part(executor, warp, request); break;
        default: replay_access(executor, warp, request);
    }
}

// One instruction of some of the lanes at one place; which ones.
std::uint32_t step_some(Executor& executor, WarpUnit& warp, std::uint32_t candidates) {
    Request request;
    gather(executor, warp, candidates, request);
    step(executor, warp, request);
    each_lane(request.mask, [&](int l) { ++warp.cursor[l].next; });
    return request.mask;
}

void move(WarpUnit& warp, std::ptrdiff_t by) {
    for (Cursor& cursor : warp.cursor) cursor.next += by;
}

// A whole warp is at one place, as it mostly is: while its lanes' traces agree, nobody need ask who is next. False if
// they do not agree at once. Most records are basic blocks, for which a look at one lane will do: cursors follow later.
bool step_together(Executor& executor, WarpUnit& warp) {
    std::ptrdiff_t most = lane_records;
    for (const Cursor& cursor : warp.cursor) most = std::min(most, cursor.end - cursor.next);
    Request request;
    request.mask = ~0u;
    request.lanes = warp_lanes;
    std::ptrdiff_t steps = 0, behind = 0;
    for (int look = 4; steps < most; look = std::min(2 * look, most_agreed)) {
        const int looked = static_cast<int>(std::min<std::ptrdiff_t>(look, most - steps)), agreed = count_agreed(warp, behind, looked);
        for (int i = 0; i < agreed; ++i) {
            if (warp.cursor[0].next[behind].event == Event::Block && !warp.block->recorded) {
                request.record = warp.cursor[0].next[behind++];
                enter_block(executor, warp, request);
                continue;
            }
            move(warp, behind);
            gather_all(warp, request);
            step(executor, warp, request);
            behind = 1;
        }
        steps += agreed;
        if (agreed < looked) break;
    }
    move(warp, behind);
    return steps > 0;
}

// The lanes at the lowest key, which is put into *lowest.
std::uint32_t next_lanes(const WarpUnit& warp, std::int32_t* lowest) {
    std::int32_t different = 0;
    for (int l = 1; l < warp_lanes; ++l) different |= warp.key[l] ^ warp.key[0];
    *lowest = warp.key[0];
    if (different == 0) return ~0u;
    for (int l = 1; l < warp_lanes; ++l) *lowest = std::min(*lowest, warp.key[l]);
    std::uint32_t mask = 0;
    for (int l = 0; l < warp_lanes; ++l) mask |= static_cast<std::uint32_t>(warp.key[l] == *lowest) << l;
    return mask;
}

}  // namespace

std::uint32_t WarpUnit::lanes_in(State state) const {
    std::uint32_t mask = 0;
    for (int l = 0; l < lanes; ++l) mask |= static_cast<std::uint32_t>(threads[l].state == state) << l;
    return mask;
}

std::uint32_t WarpUnit::alive() const { return ~lanes_in(State::Done) & ~0u >> (warp_lanes - lanes); }

// By their keys, which lie in two lines of the cache; the cursors in twenty.
std::uint32_t unreplayed(const WarpUnit& warp) {
    std::uint32_t mask = 0;
    for (int l = 0; l < warp_lanes; ++l) mask |= static_cast<std::uint32_t>(warp.key[l] != idle_key && warp.key[l] != needs_trace_key) << l;
    return mask;
}

bool all_replayed(const WarpUnit& warp) {
    return std::all_of(warp.cursor, warp.cursor + warp.lanes, [](const Cursor& cursor) { return cursor.next == cursor.end; });
}

void begin_replay(WarpUnit& warp) {
    for (int l = 0; l < warp_lanes; ++l) {
        warp.key[l] = idle_key;
        warp.cursor[l] = Cursor{};
        warp.came_from[l] = 0;
    }
    warp.branches[0] = {0, 0, true};
    warp.next_branch = 1;
    warp.touched_task = 0;
    warp.task_bytes = 0;
    warp.copying = 0;
    warp.exchanged.clear();
    warp.operation_due = false;
    warp.have_released = 0;
    warp.spun = 0;
    warp.clock.reset();
}

void load_cursor(WarpUnit& warp, int lane) {
    Thread& thread = warp.threads[lane];
    Cursor& cursor = warp.cursor[lane];
    cursor.next = warp.block->trace_of(lane);
    cursor.end = thread.next ? thread.next : cursor.next;
    bool arrivals = false;
    advance(warp, lane, arrivals);
}

void forget_trace(WarpUnit& warp, int lane) {
    warp.cursor[lane].next = warp.cursor[lane].end = nullptr;
    bool arrivals = false;
    advance(warp, lane, arrivals);
}

void set_aside(WarpUnit& warp, int lane) { warp.key[lane] = idle_key; }

Replay replay(WarpUnit& warp, Executor& executor, std::uint32_t* group) {
    key_waiting_lanes(warp);
    for (;;) {
        std::int32_t lowest;
        const std::uint32_t candidates = next_lanes(warp, &lowest);
        if (lowest == idle_key) return Replay::Idle;
        if (lowest == needs_trace_key) {
            *group = candidates;
            return Replay::NeedsTrace;
        }
        if (warp.operation_due) {
            std::uint32_t waiting = 0;   // lanes whose trace is used up stand in a warp operation
            each_lane(candidates, [&](int l) { waiting |= static_cast<std::uint32_t>(warp.cursor[l].next == warp.cursor[l].end) << l; });
            if (waiting) {
                const WarpRequest& request = warp.threads[__builtin_ctz(waiting)].request;
                *group = request.op == active_mask_op ? waiting : request.mask & warp.alive();
                return Replay::ResolveWarp;
            }
        }
        std::uint32_t moved = candidates;
        if (candidates != ~0u || warp.operation_due || !step_together(executor, warp)) moved = step_some(executor, warp, candidates);
        bool arrivals = false;
        each_lane(moved, [&](int l) { advance(warp, l, arrivals); });
        if (arrivals) key_waiting_lanes(warp);
    }
}

}  // namespace ladder
