// A warp: its lanes run until all of them wait for other warps; shuffles, votes and __syncwarp are settled here.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "debug.h"
#include "machine.h"
#include "matrices.h"
#include "replay.h"
#include "rounds.h"

namespace ladder {

std::string name_of(const WarpRequest& request) {
    if (request.op == instruction_op) return ptx::name_of(*request.instruction);
    switch (static_cast<Warp>(request.op)) {
        case Warp::Sync: return "__syncwarp";
        case Warp::ShuffleIndex: return "__shfl_sync";
        case Warp::ShuffleUp: return "__shfl_up_sync";
        case Warp::ShuffleDown: return "__shfl_down_sync";
        case Warp::ShuffleXor: return "__shfl_xor_sync";
        case Warp::All: return "__all_sync";
        case Warp::Any: return "__any_sync";
        case Warp::Ballot: return "__ballot_sync";
        case Warp::MatchAny: return "__match_any_sync";
        case Warp::MatchAll: return "__match_all_sync";
        case Warp::MatrixProduct: return "mma";
        case Warp::LoadMatrices: return "ldmatrix";
        case Warp::StoreMatrices: return "stmatrix";
        case Warp::MoveMatrix: return "movmatrix";
        case Warp::LoadFragment: return "load_matrix_sync";
        case Warp::StoreFragment: return "store_matrix_sync";
        default: return "__reduce_sync";
    }
}

std::string name_with_mask(const WarpRequest& request) {
    char mask[sizeof " with mask 0x00000000"];
    std::snprintf(mask, sizeof mask, " with mask 0x%08x", request.mask);
    return name_of(request) + mask;
}

namespace {

constexpr int five_bits = 31;

bool is_shuffle(Warp op) { return op >= Warp::ShuffleIndex && op <= Warp::ShuffleXor; }

// The lane whose value lane l gets; l itself where CUDA says that the value stays. As the PTX ISA defines shfl.sync, which
// has five bits for the lane, the distance or the mask. The sub-warps of `width` are separate, but for xor to lower ones.
int shuffle_source(const WarpRequest& request, int l) {
    const int by = request.argument & five_bits, segment = (32 - request.width) & five_bits;
    const int first = l & segment, last = first | (five_bits & ~segment);
    switch (static_cast<Warp>(request.op)) {
        case Warp::ShuffleIndex: return first | (by & ~segment);
        case Warp::ShuffleUp: return l - by >= first ? l - by : l;
        case Warp::ShuffleDown: return l + by <= last ? l + by : l;
        default: return (l ^ by) <= last ? l ^ by : l;
    }
}

// A GPU uses five bits of a distance or a mask without a word. Of a lane it is documented, and often meant. A distance of its
// sub-warp's width or more leads up or down to no lane, which a width of 1 asks for.
void note_odd_argument(Executor& executor, const Thread& thread) {
    const WarpRequest& request = thread.request;
    const auto op = static_cast<Warp>(request.op);
    const bool is_cut = request.argument & ~five_bits;
    const bool is_wide = (op == Warp::ShuffleUp || op == Warp::ShuffleDown) && request.width > 1 && request.argument >= request.width;
    if (op == Warp::ShuffleIndex || !(is_cut || is_wide)) return;
    for (Finding& known : executor.findings)
        if (known.kind == "shuffle_distance" && known.pc == request.pc) {
            ++known.count;
            return;
        }
    Finding finding = finding_at(thread, "shuffle_distance", request.pc);
    finding.note = true;
    finding.line = request.line;
    finding.offset = request.argument;
    finding.text = name_of(request);
    if (!is_cut) finding.text += ' ' + std::to_string(request.width);
    executor.findings.push_back(std::move(finding));
}

// In a tree of shrinking distances no lane takes what the lanes from the distance on get, and the last lane of some puts its
// own value in the place of a neighbour that is not there: as at the end of a whole warp, where CUDA leaves it its own.
// A graded file's second run knows whether that is so; a program has none.
bool past_the_end(const WarpRequest& request, int l, std::uint32_t group) {
    if (static_cast<Warp>(request.op) != Warp::ShuffleDown) return false;
    const int by = request.argument & five_bits, in_segment = l & (request.width - 1);
    const std::uint64_t segment = (std::uint64_t{1} << (request.width - in_segment)) - 1;   // from this lane on
    return in_segment >= by && !(group >> l >> by & segment >> by);
}

void report_silent_source(Executor& executor, const Thread& thread, int source, bool exited, bool note) {
    for (Finding& known : executor.findings)
        if (known.kind == "shuffle_source" && known.pc == thread.request.pc && known.note == note) {
            ++known.count;
            return;
        }
    Finding finding = finding_at(thread, "shuffle_source", thread.request.pc);
    finding.note = note;
    finding.line = thread.request.line;
    finding.offset = source;
    finding.text = source >= thread.warp->lanes ? "not in block" : exited ? "exited" : "not in mask";
    executor.findings.push_back(std::move(finding));
}

std::uint64_t combine(Warp op, std::uint64_t a, std::uint64_t b) {
    const auto u = static_cast<std::uint32_t>(a), v = static_cast<std::uint32_t>(b);
    const auto s = static_cast<std::int32_t>(u), t = static_cast<std::int32_t>(v);
    switch (op) {
        case Warp::AddUnsigned: return u + v;
        case Warp::MinUnsigned: return std::min(u, v);
        case Warp::MaxUnsigned: return std::max(u, v);
        case Warp::MinSigned: return static_cast<std::uint32_t>(std::min(s, t));
        case Warp::MaxSigned: return static_cast<std::uint32_t>(std::max(s, t));
        case Warp::And: return u & v;
        case Warp::Or: return u | v;
        default: return u ^ v;
    }
}

// All lanes of the group have come: give each its result and let it go on.
void resolve(Warp op, Executor& executor, Thread* threads, std::uint32_t group) {
    std::uint32_t ballot = 0;
    std::uint64_t reduced = 0;
    bool first = true, all_equal = true;
    const std::uint64_t leader = threads[__builtin_ctz(group)].request.value;
    each_lane(group, [&](int l) {
        const std::uint64_t value = threads[l].request.value;
        ballot |= static_cast<std::uint32_t>(value != 0) << l;
        reduced = first ? value : combine(op, reduced, value);
        all_equal = all_equal && value == leader;
        first = false;
    });
    each_lane(group, [&](int l) {
        WarpRequest& request = threads[l].request;
        switch (op) {
            case Warp::Sync: request.result = 0; break;
            case Warp::All: request.result = ballot == group; break;
            case Warp::Any: request.result = ballot != 0; break;
            case Warp::Ballot: request.result = ballot; break;
            case Warp::MatchAll: request.result = all_equal ? group : 0; break;
            case Warp::MatchAny:
                request.result = 0;
                each_lane(group, [&](int other) {
                    request.result |= static_cast<std::uint64_t>(threads[other].request.value == request.value) << other;
                });
                break;
            case Warp::ShuffleIndex: case Warp::ShuffleUp: case Warp::ShuffleDown: case Warp::ShuffleXor: {
                const int source = shuffle_source(request, l);
                const bool present = group >> source & 1;
                note_odd_argument(executor, threads[l]);
                // Another one in the second run (session.py), as of memory that was never written: it may be thrown away.
                request.result = present ? threads[source].request.value : 0x0101010101010101u * static_cast<unsigned>(machine().poison);
                if (!present) {
                    const bool unused = machine().whole_program && past_the_end(request, l, group);
                    report_silent_source(executor, threads[l], source, request.mask >> source & 1, unused);
                }
                break;
            }
            default: request.result = reduced;
        }
        threads[l].state = State::Ready;
    });
}

void write_down(const WarpUnit& warp, Warp op, std::uint32_t group) {
    std::vector<long long> places;
    if (is_shuffle(op)) each_lane(group, [&](int l) { places.push_back(shuffle_source(warp.threads[l].request, l)); });
    if (op == Warp::MatrixProduct) places = shape_of_product(warp.threads[__builtin_ctz(group)]);
    const Kind kind = is_shuffle(op) ? Kind::Shuffle : op == Warp::MatrixProduct ? Kind::Product : is_of_matrices(static_cast<int>(op)) ? Kind::Matrices : Kind::Warp;
    machine().recorder.warp_operation(warp, group, kind, std::move(places));
}

void note_part_of_warp(Executor& executor, int line, std::uint32_t group, std::uint32_t all) {
    executor.passed_barriers.insert({line, static_cast<std::uint32_t>(std::popcount(group)), static_cast<std::uint32_t>(std::popcount(all))});
}

// With lanes that have returned while what they did is not replayed: it comes after the others' meeting, and is not ordered by it.
std::uint32_t still_to_come(const WarpUnit& warp) {
    std::uint32_t lanes = warp.alive();
    for (int l = 0; l < warp.lanes; ++l) lanes |= static_cast<std::uint32_t>(warp.cursor[l].next != warp.cursor[l].end) << l;
    return lanes;
}

void resolve_group(WarpUnit& warp, std::uint32_t group) {
    Executor& executor = *warp.block->executor;
    Thread* const threads = warp.threads;
    const WarpRequest request = threads[__builtin_ctz(group)].request;
    if (request.op == active_mask_op) {
        each_lane(group, [&](int l) { threads[l].request.result = group, threads[l].state = State::Ready; });
        return;
    }
    if (request.mask & ~group) note_absent_lanes(warp, group);
    if (request.op == instruction_op) return ptx::meet(warp, group);
    const auto op = static_cast<Warp>(request.op);
    if (is_of_matrices(request.op)) resolve_matrices(warp, group);
    else resolve(op, executor, threads, group);
    if (warp.block->stopped) return;
    if (warp.block->recorded) write_down(warp, op, group);
    const std::uint32_t all = still_to_come(warp);
    warp.clock.synchronise(group, all, op == Warp::Sync);
    if (op != Warp::Sync) return;
    if (group != all) note_part_of_warp(executor, request.line, group, all);
    std::uint32_t joined = 0, seen = 0;   // what one lane has acquired, __syncwarp hands to the others
    each_lane(group, [&](int l) {
        joined = machine().acquisitions.join(joined, threads[l].clock.acquired);
        seen = machine().acquisitions.join(seen, threads[l].clock.seen);
    });
    each_lane(group, [&](int l) {
        threads[l].clock.acquired = warp.cursor[l].acquired = joined;
        threads[l].clock.seen = seen;
    });
}

// Without counting there is no replay that would order the lanes: an operation is due when all its lanes wait in it.
bool find_complete_group(const WarpUnit& warp, std::uint32_t* group) {
    const std::uint32_t alive = warp.alive();
    for (int l = 0; l < warp.lanes; ++l) {
        if (warp.threads[l].state != State::AtWarp) continue;
        const WarpRequest& mine = warp.threads[l].request;
        std::uint32_t same = 0;
        for (int other = 0; other < warp.lanes; ++other) {
            const Thread& theirs = warp.threads[other];
            const bool meets = theirs.state == State::AtWarp && same_operation(mine, theirs.request);
            same |= static_cast<std::uint32_t>(meets) << other;
        }
        const std::uint32_t needed = mine.op == active_mask_op ? same : mine.mask & alive;
        if ((same & needed) == needed && needed >> l & 1) {
            *group = needed;
            return true;
        }
    }
    return false;
}

// What a lane's first steps will touch, on its way into the caches while others run: each has a stack on pages of its own.
void fetch_ahead(const WarpUnit& warp, int lane) {
    if (lane >= warp.lanes) return;
    constexpr std::ptrdiff_t line = 64, lines = 6;
    const char* const stack = static_cast<const char*>(warp.threads[lane].fiber.stack_pointer);
    for (std::ptrdiff_t i = -2; i < lines - 2; ++i) __builtin_prefetch(stack + i * line, 1);
    asm volatile("");   // else gcc leaves out the call, as of a function that does nothing
}

void begin_trace(WarpUnit& warp) {
    Block& block = *warp.block;
    if (block.traced != &warp) leave_trace(block);
    block.traced = &warp;
}

// Until it must wait.
void run_lane(Thread& thread) {
    thread.state = State::Ready;
    built_in_thread_index = thread.index;
    current = &thread;
    note_for_debugger(&thread);
    switch_fiber(thread.block->scheduler, thread.fiber);
    current = nullptr;
    note_for_debugger(nullptr);
}

// A lane runs until it waits for something.
void produce(WarpUnit& warp, int lane) {
    Thread& thread = warp.threads[lane];
    const bool counting = warp.block->launch->counting;
    if (counting) {
        thread.next = warp.block->trace_of(lane);
        thread.limit = thread.next + lane_records;
    }
    fetch_ahead(warp, lane + 1);
    run_lane(thread);
    if (!counting) return;
    watch_progress(thread);
    load_cursor(warp, lane);
}

std::uint64_t steps_of(const Cursor& cursor) { return static_cast<std::uint64_t>(cursor.end - cursor.next); }

// Lets lanes produce trace until each waits for something.
void produce(WarpUnit& warp, std::uint32_t& spun_lanes, Run& run) {
    Block& block = *warp.block;
    for (int l = 0; l < warp.lanes && !block.stopped; ++l) {
        const Thread& thread = warp.threads[l];
        const bool runs = thread.state == State::Ready || thread.state == State::Full || (thread.state == State::Ordered && block.has_ordered) ||
                          (thread.state == State::Spinning && !(spun_lanes >> l & 1));
        if (!runs || warp.cursor[l].next != warp.cursor[l].end) continue;
        produce(warp, l);
        consider_turn(block, steps_of(warp.cursor[l]));
        if (thread.state == State::Spinning) spun_lanes |= 1u << l;
        else if (thread.state != State::Full) run.progress = true;
    }
}

// Lanes that wait at a cuda::barrier, or look at an mbarrier, whose phase another lane has ended since: on a GPU these go on
// together, and so replay must not run ahead with the one that came last.
void wake_at_ended_phase(WarpUnit& warp, std::uint32_t& spun_lanes) {
    for (int l = 0; l < warp.lanes; ++l) {
        Thread& thread = warp.threads[l];
        if (release_phase(thread) && warp.cursor[l].next == warp.cursor[l].end) forget_trace(warp, l);
        const bool looks = thread.state == State::Spinning && thread.barrier_is_ptx && thread.rests_at && thread.asked == reinterpret_cast<Address>(thread.rests_at);
        if (looks && *thread.rests_at != static_cast<unsigned>(thread.found)) spun_lanes &= ~(1u << l);
    }
}

}  // namespace

void leave_trace(Block& block) {
    WarpUnit* const warp = std::exchange(block.traced, nullptr);
    if (!warp || all_replayed(*warp)) return;
    std::ptrdiff_t all = records_at_once;   // count_agreed looks at so many behind a lane's last one
    for (const Cursor& cursor : warp->cursor) all += cursor.end - cursor.next;
    std::vector<Record>& aside = block.executor->aside;
    aside.clear();
    aside.reserve(static_cast<std::size_t>(all));
    for (const Cursor& cursor : warp->cursor) aside.insert(aside.end(), cursor.next, cursor.end);
    aside.resize(static_cast<std::size_t>(all));
    Record* next = aside.data();
    for (Cursor& cursor : warp->cursor) {
        const std::ptrdiff_t records = cursor.end - cursor.next;
        cursor.next = next;
        cursor.end = next += records;
    }
    warp->aside.swap(aside);
}

Run run_warp(WarpUnit& warp) {
    Block& block = *warp.block;
    Executor& executor = *block.executor;
    Run run;
    std::uint32_t spun_lanes = block.dozes ? warp.lanes_in(State::Spinning) : std::exchange(warp.spun, 0), aside = 0;
    for (;;) {
        make_way(block);
        bring_back(warp);
        begin_trace(warp);
        if (block.sample && !spun_lanes && !warp.lanes_in(State::Ordered) && pauses(block, warp)) return run;
        produce(warp, spun_lanes, run);
        if (block.stopped) return run;
        if (block.has_named || spun_lanes) wake_at_ended_phase(warp, spun_lanes);
        if (!spun_lanes) consider_turn(block, 0);   // rather before what they have done is replayed
        std::uint32_t group = 0;
        if (!block.launch->counting) {
            if (find_complete_group(warp, &group)) {
                resolve_group(warp, group);
                continue;
            }
            run.spinning = spun_lanes != 0;
            run.ordered = warp.lanes_in(State::Ordered) != 0;
            if (!warp.lanes_in(State::Full)) return run;
            continue;
        }
        switch (replay(warp, executor, &group)) {
            case Replay::Idle:
                each_lane(aside, [&](int l) { forget_trace(warp, l); });
                run.spinning = aside != 0;
                return run;
            case Replay::ResolveWarp:
                resolve_group(warp, group);
                each_lane(group, [&](int l) { forget_trace(warp, l); });
                run.progress = true;
                break;
            case Replay::NeedsTrace: {
                const std::uint32_t ordered = block.has_ordered ? 0 : warp.lanes_in(State::Ordered);
                if (group & ~spun_lanes & ~ordered) break;   // a lane that has not run yet
                if (group & ordered) {
                    run.spinning = spun_lanes != 0;
                    run.ordered = true;
                    return run;
                }
                // Only spinning lanes hold the others back: replay goes on without them.
                each_lane(group, [&](int l) { set_aside(warp, l); });
                aside |= group;
                break;
            }
        }
    }
}

// Nothing is replayed meanwhile, and the turn is handed on at once: but not if a lane has come to nothing, or cannot leave a
// trace before more is replayed.
void run_ordered(Block& block) {
    bool spun = false;
    for (WarpUnit& warp : block.warps) {
        if (!warp.can_run) continue;
        const std::uint32_t lanes = warp.lanes_in(State::Ordered);
        if (lanes) bring_back(warp), begin_trace(warp);
        for (int l = 0; l < warp.lanes && !block.stopped; ++l) {
            if (!(lanes >> l & 1) || warp.cursor[l].next != warp.cursor[l].end) continue;
            produce(warp, l);
            if (warp.threads[l].state == State::Spinning) warp.spun |= 1u << l;
        }
        spun = spun || warp.spun;
    }
    block.unordered_steps = 0;
    block.orders = spun || block.awaiting;
    if (!block.stopped) consider_turn(block, 0);
}

}  // namespace ladder
