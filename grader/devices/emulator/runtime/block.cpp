// A block: its warps take turns until all are done; barriers are settled here, and blocks that cannot go on explained.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "machine.h"
#include "matrices.h"
#include "replay.h"
#include "rounds.h"
#include "spinning.h"
#include "watching.h"

namespace ladder {

__thread Block* starting_block = nullptr;

std::string arrivals_text(const Block& block, const unsigned* phase, bool is_ptx) {
    const auto bytes = block.bytes_to_come.find(reinterpret_cast<Address>(phase) - 4);
    const bool lacks_bytes = bytes != block.bytes_to_come.end() && bytes->second != 0;
    return std::string(is_ptx ? "the mbarrier" : "the cuda::barrier") + " has seen " + std::to_string(phase[-1]) + " of " + std::to_string(arrivals_of(*phase)) + " arrivals, the number that its " + (is_ptx ? "mbarrier.init" : "init()") + " was given" +
           (lacks_bytes ? ", and waits for " + std::to_string(bytes->second) + " bytes (.expect_tx)" : "");
}

namespace {

std::string how_many_have_come(const Thread& waiting) {
    if (waiting.awaited) return arrivals_text(*waiting.block, waiting.awaited);
    const auto& named = waiting.block->named;
    const auto its = std::find_if(std::begin(named), std::end(named), [&](const NamedBarrier& each) { return std::find(each.waiting.begin(), each.waiting.end(), &waiting) != each.waiting.end(); });
    const bool of_tile = its >= std::begin(named) + ptx_barriers;
    const std::string name = of_tile ? "the tile's barrier" : "barrier " + std::to_string(its - std::begin(named));
    return name + " has seen " + std::to_string(its->arrived) + " of " + std::to_string(its->expected);
}

// Nobody can go on. Say who waits where, and for whom.
void report_stuck(Block& block) {
    const Thread* waiting = nullptr;
    for (const Thread& thread : block.threads)
        if (thread.state == State::AtWarp && !waiting) waiting = &thread;
    if (!waiting)
        for (const Thread& thread : block.threads)
            if ((thread.state == State::AtBarrier || thread.state == State::AtNamed) && !waiting) waiting = &thread;
    if (!waiting) return;
    Finding finding = finding_at(*waiting, "deadlock", 0);
    finding.line = waiting->barrier_line;
    if (waiting->state == State::AtNamed) finding.text = how_many_have_come(*waiting);
    if (waiting->state == State::AtWarp) {
        const WarpRequest& request = waiting->request;
        finding.kind = "shuffle_partner";
        finding.pc = request.pc;
        finding.line = request.line;
        finding.text = name_of(request);
        finding.offset = static_cast<long long>(request.mask);
        if (!(request.mask >> waiting->lane & 1)) finding.text += " without itself";
        for (int l = 0; l < waiting->warp->lanes; ++l) {
            const Thread& other = waiting->warp->threads[l];
            const bool here = other.state == State::AtWarp && same_operation(request, other.request);
            if (!(request.mask >> l & 1) || other.state == State::Done || here) continue;
            finding.other = finding_at(other, "", 0).place;
            const bool at_barrier = other.state == State::AtBarrier || other.state == State::AtNamed;
            finding.other_line = at_barrier ? other.barrier_line : other.request.line;
            finding.other_access = at_barrier ? "__syncthreads" : other.request.op == request.op ? name_with_mask(other.request) : name_of(other.request);
            break;
        }
    }
    block.executor->findings.push_back(std::move(finding));
}

// What the threads of a block bring to the barrier that they wait at.
struct Arrivals {
    const Thread* first = nullptr;       // null unless all that have not returned wait at a barrier
    const Thread* elsewhere = nullptr;   // waits at another one
    bool absent = false;                 // some have returned
    int count = 0, all = 1, any = 0;     // of the predicates
};

// Where the ways of two threads to barriers of one line part: the return addresses of the innermost calls that differ.
struct Parting { std::uint32_t mine = 0, theirs = 0; };

// Whether one call leads to itself: threads may have gone round as often as they like, as in a loop.
bool repeats(std::span<const std::uint32_t> calls) {
    for (std::size_t i = 1; i < calls.size(); ++i)
        if (std::find(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(i), calls[i]) != calls.begin() + static_cast<std::ptrdiff_t>(i)) return true;
    return false;
}

Parting parting(const Thread& thread, const Thread& other) {
    const Module& module = machine().module;
    if (!module.same_call(thread.barrier_call, other.barrier_call)) return {thread.barrier_call, other.barrier_call};
    const auto mine = thread.calls.known(), theirs = other.calls.known();
    for (std::size_t i = 1; i <= std::min(mine.size(), theirs.size()); ++i) {
        const Parting calls{mine[mine.size() - i], theirs[theirs.size() - i]};
        if (module.same_call(calls.mine, calls.theirs)) continue;
        return repeats(mine) || repeats(theirs) ? Parting{} : calls;
    }
    return {};
}

bool wait_at_one(const Thread& thread, const Thread& other) {
    return thread.barrier_line == other.barrier_line && parting(thread, other).mine == 0;
}

// "threads 0 to 31 and 64": those that wait where this one does. Empty if their numbers are not their threadIdx.x.
std::string who_wait_with(const Thread& thread) {
    constexpr std::size_t most = 3;
    const Block& block = *thread.block;
    if (block.launch->block.y > 1 || block.launch->block.z > 1) return "";
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
    for (const Thread& each : block.threads) {
        if (each.state != State::AtBarrier || !wait_at_one(thread, each)) continue;
        if (!runs.empty() && runs.back().second + 1 == each.number) ++runs.back().second;
        else runs.emplace_back(each.number, each.number);
    }
    std::string said = runs.size() == 1 && runs[0].first == runs[0].second ? "thread " : "threads ";
    for (std::size_t i = 0; i < std::min(runs.size(), most); ++i) {
        const auto [first, last] = runs[i];
        if (i > 0) said += i + 1 == runs.size() ? " and " : ", ";
        said += std::to_string(first);
        if (last > first) said += " to " + std::to_string(last);
    }
    return runs.size() > most ? said + ", and others" : said;
}

Arrivals arrivals_at_barrier(const Block& block) {
    Arrivals found;
    const Thread* of_warp = nullptr;
    for (const Thread& thread : block.threads) {
        if (thread.state == State::Done) {
            found.absent = true;
            continue;
        }
        if (thread.state != State::AtBarrier) return {};
        if (!found.first) found.first = &thread;
        if (!of_warp || of_warp->number / warp_lanes != thread.number / warp_lanes) of_warp = &thread;
        // PTX's barriers are numbers: its warps, unlike its lanes, may come to one from anywhere.
        const Thread& pair = thread.barrier_is_ptx && found.first->barrier_is_ptx ? *of_warp : *found.first;
        if (!wait_at_one(thread, pair)) {
            found.first = &pair;
            found.elsewhere = &thread;
            return found;
        }
        found.count += thread.barrier_predicate != 0;
        found.all = found.all && thread.barrier_predicate;
        found.any = found.any || thread.barrier_predicate;
    }
    return found;
}

int result_for(const Thread& thread, const Arrivals& arrivals) {
    switch (thread.barrier_kind) {
        case Barrier::Count: return arrivals.count;
        case Barrier::And: return arrivals.all;
        case Barrier::Or: return arrivals.any;
        default: return 0;
    }
}

void stop_at_barrier(Block& block, const Thread& first, const char* kind, const Thread* other) {
    Finding finding = finding_at(first, kind, first.barrier_pc);
    finding.line = first.barrier_line;
    if (other) {
        const Parting calls = first.barrier_line == other->barrier_line ? parting(first, *other) : Parting{};
        finding.call_pc = calls.mine;
        finding.other_call_pc = calls.theirs;
        finding.other_line = other->barrier_line;
        finding.other = finding_at(*other, "", 0).place;
        finding.text = who_wait_with(first) + '|' + who_wait_with(*other);
    } else {
        finding.text = "grid";
    }
    block.executor->findings.push_back(std::move(finding));
    block.stopped = true;
}

// grid.sync(): all blocks come here, or some never will. False then. Or cluster.sync(), for which those that are over do not count.
bool meet_other_blocks(Block& block, bool of_grid) {
    block.races.end_block(block);
    block.grid_phase += of_grid;
    ++block.phase;
    park(block, of_grid ? BlockState::GridSync : BlockState::ClusterSync);
    if (block.launch->schedule.grid_stuck || block.launch->schedule.given_up) return false;
    block.id = block.launch->id_of(block.number, block.phase);
    block.races.begin_block(block);
    return true;
}

// A fence of any thread's before a barrier serves those behind it, who may hand its writes on.
void note_fences(Block& block) {
    if (!std::exchange(block.clock.fenced, false)) return;
    const auto last = std::find_if(block.threads.rbegin(), block.threads.rend(), [](const Thread& thread) { return thread.clock.tick > 0; });
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(block.threads.rend() - last));
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = block.threads[i].clock.tick;
    block.clock.fences = std::make_shared<const std::vector<std::uint32_t>>(std::move(counts));
}

// One set for all threads. Most have the same one as the thread before.
std::uint32_t join_all(const Block& block, std::uint32_t ThreadClock::* set) {
    std::uint32_t joined = 0, last = 0;
    for (const Thread& thread : block.threads) {
        if (thread.clock.*set == last) continue;
        last = thread.clock.*set;
        joined = machine().acquisitions.join(joined, last);
    }
    return machine().acquisitions.anew(joined, block.id);
}

// If all threads that have not returned wait at one barrier, lets them go on; ends the block if it is more than one. False
// if there is nothing to be done.
bool release_barrier(Block& block) {
    const Arrivals arrivals = arrivals_at_barrier(block);
    const Thread* const first = arrivals.first;
    if (!first) return false;
    if (arrivals.elsewhere) return stop_at_barrier(block, *first, "barrier_divergence", arrivals.elsewhere), true;
    if (arrivals.absent) note_absent_threads(block, *first);
    const std::uint32_t joined = join_all(block, &ThreadClock::acquired), seen = join_all(block, &ThreadClock::seen);
    const bool of_grid = first->barrier_result == grid_barrier;
    if ((of_grid || first->barrier_result == cluster_barrier) && !meet_other_blocks(block, of_grid)) {
        if (!block.launch->schedule.given_up) stop_at_barrier(block, *first, "deadlock", nullptr);
        return true;
    }
    for (Thread& thread : block.threads) {
        thread.clock.acquired = thread.warp->cursor[thread.lane].acquired = joined;
        thread.clock.seen = seen;
        if (thread.state == State::Done) continue;
        thread.barrier_result = result_for(thread, arrivals);
        thread.state = State::Ready;
    }
    for (WarpUnit& warp : block.warps) {
        for (int l = 0; l < warp.lanes; ++l) forget_trace(warp, l);
        warp.can_run = true;
    }
    ++block.clock.epoch;
    note_fences(block);
    ++block.barriers;
    if (block.recorded) machine().recorder.barrier(block, first->barrier_line);
    if (block.sample) sample_barrier(block);
    block.executor->passed_barriers.insert({first->barrier_line});
    count_meeting(block, first->barrier_pc);
    return true;
}

// And what its threads have done is replayed.
bool is_done(const Block& block) {
    return std::all_of(block.threads.begin(), block.threads.end(), [](auto& thread) { return thread.state == State::Done; }) &&
           std::none_of(block.warps.begin(), block.warps.end(), [](auto& warp) { return warp.can_run; });
}

// Lanes spin, and all others wait for them. Others have to get on before they do.
void sleep(Block& block, bool stuck) {
    block.idle_rounds = 0;
    ++block.naps;
    block.watches = stuck;
    if (!stuck) return park(block, BlockState::Yielded);
    await_turn(block);
    if (!all_stuck(block)) return;
    block.launch->schedule.doze(block);
    leave(block);
}

// The same, in its turn and before what they have done is replayed: others may have the turn meanwhile.
void doze(Block& block) {
    block.idle_rounds = 0;
    ++block.naps;
    block.watches = block.dozes = true;
    publish(block);
    block.launch->schedule.doze(block);
}

// After this, its lanes have returned or wait for other warps, or for other threads' stores.
Run run_warps(Block& block) {
    Run all;
    for (std::size_t i = 0; i < block.warps.size(); ++i) {   // turned: a warp that draws a ticket gets none that is its number
        WarpUnit& warp = block.warps[machine().blocks_turned ? block.warps.size() - 1 - i : i];
        if (!warp.can_run) continue;
        const Run run = run_warp(warp);
        if (block.stopped) break;
        warp.can_run = run.spinning || run.ordered;
        if (!warp.can_run) warp.needs_others = all_need_others(warp);
        all.add(run);
    }
    return all;
}

// A block that has often let others come, and of which nobody computes meanwhile, does so soon.
int patience_of(const Block& block) {
    const auto computes = [](const Thread& thread) { return thread.state == State::Full; };
    return block.naps < naps_of_the_patient || std::any_of(block.threads.begin(), block.threads.end(), computes) ? idle_rounds_before_yield : 1;
}

void run_block(Block& block) {
    const Schedule& schedule = block.launch->schedule;
    while (!block.stopped && !is_done(block)) {
        const bool is_needless = block.number > schedule.stop_after.load(std::memory_order_relaxed) || schedule.given_up.load(std::memory_order_relaxed);
        if (is_needless && !block.dozes) return;
        const Run run = run_warps(block);
        if (std::exchange(block.dozes, false)) {
            leave(block);
            for (WarpUnit& warp : block.warps) warp.spun = 0;   // its lanes look again
            continue;
        }
        if (block.stopped) return;
        if (block.has_named && release_named_barriers(block)) continue;
        if (run.ordered) {
            if (run.spinning && run.progress) continue;   // those that spin may need the turn as well
            block.idle_rounds = 0;
            const bool rest_waits = rest_needs_others(block);
            await_turn(block);
            run_ordered(block);
            if (rest_waits && only_spins(block)) doze(block);
            continue;
        }
        if (block.sample && thin(block)) continue;
        if (!run.spinning) {
            if (release_barrier(block) || is_done(block)) continue;
            report_stuck(block);
            block.stopped = true;
        } else if (const bool stuck = may_be_stuck(block); stuck || (!run.progress && ++block.idle_rounds >= patience_of(block))) {
            sleep(block, stuck);
        } else if (run.progress) {
            block.idle_rounds = 0;
        }
    }
}

void finish_block(Block& block) {
    LaunchState& launch = *block.launch;
    block.races.end_block(block);
    block.stopped = block.stopped || block.faulted;
    if (launch.clusters.any() && !block.stopped && launch.schedule.lowest_failed.load() == ~std::uint64_t{0}) launch.races.ended(block);
    std::uint64_t busy = 0, bytes = 0;
    for (const WarpUnit& warp : block.warps) {
        busy += static_cast<std::uint64_t>(__builtin_popcount(warp.touched_task));
        bytes += warp.task_bytes;
    }
    launch.task_bytes += bytes;
    launch.busy_threads += busy;
    launch.busy_blocks += busy > 0;
    launch.barriers += block.most.barriers = block.barriers;
    launch.copies += block.copies;
    if (!block.copied.are_mostly_read()) block.most.copy_groups = block.most.copy_bytes = 0;
    if (block.sample) keep_sample(block);
    std::lock_guard lock(launch.schedule.mutex);
    launch.most.take(block.most);
    launch.of_blocks.add(bytes);
    for (const WarpUnit& warp : block.warps) launch.of_warps.add(warp.task_bytes);
    launch.passed_barriers.merge(block.executor->passed_barriers);
    if (!block.printed.empty()) launch.printed[block.number] = std::move(block.printed);
}

}  // namespace

void block_main() {
    begin_fiber();
    Block& block = *starting_block;
    set_built_ins(block);
    run_block(block);
    finish_block(block);
    block.finished = true;
    park(block, BlockState::Finished);
    std::abort();
}

}  // namespace ladder
