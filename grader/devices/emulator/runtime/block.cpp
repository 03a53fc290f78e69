// A block: its warps take turns until all are done; barriers are settled here, and blocks that cannot go on explained.
#include <algorithm>
#include <cstdlib>

#include "machine.h"

namespace ladder {

__thread Block* starting_block = nullptr;

namespace {

// Nobody can go on. Say who waits where, and for whom.
void report_stuck(Block& block) {
    const Thread* waiting = nullptr;
    for (const Thread& thread : block.threads)
        if (thread.state == State::AtWarp && !waiting) waiting = &thread;
    if (!waiting)
        for (const Thread& thread : block.threads)
            if (thread.state == State::AtBarrier && !waiting) waiting = &thread;
    if (!waiting) return;
    Finding finding = finding_at(*waiting, "deadlock", 0);
    finding.line = waiting->barrier_line;
    if (waiting->state == State::AtWarp) {
        const WarpRequest& request = waiting->request;
        finding.kind = "shuffle_partner";
        finding.pc = request.pc;
        finding.line = request.line;
        finding.text = name_of(request.op);
        finding.offset = static_cast<long long>(request.mask);
        if (!(request.mask >> waiting->lane & 1)) finding.text += " without itself";
        for (int l = 0; l < waiting->warp->lanes; ++l) {
            const Thread& other = waiting->warp->threads[l];
            const bool here = other.state == State::AtWarp && other.request.op == request.op && other.request.mask == request.mask;
            if (!(request.mask >> l & 1) || other.state == State::Done || here) continue;
            finding.other = finding_at(other, "", 0).place;
            finding.other_line = other.state == State::AtBarrier ? other.barrier_line : other.request.line;
            finding.other_access = other.state == State::AtBarrier ? "__syncthreads" : name_of(other.request.op);
            break;
        }
    }
    block.executor->findings.push_back(std::move(finding));
}

// All threads that have not returned stand at a barrier: check that it is one barrier, and let them go on.
bool release_barrier(Block& block) {
    const Thread* first = nullptr;
    int count = 0, all = 1, any = 0;
    bool grid = false;
    for (const Thread& thread : block.threads) {
        if (thread.state == State::Done) continue;
        if (thread.state != State::AtBarrier) return false;
        if (!first) first = &thread;
        if (thread.barrier_line != first->barrier_line) {
            Finding finding = finding_at(*first, "barrier_divergence", first->barrier_pc);
            finding.line = first->barrier_line;
            finding.other_line = thread.barrier_line;
            finding.other = finding_at(thread, "", 0).place;
            block.executor->findings.push_back(std::move(finding));
            block.stopped = true;
            return true;
        }
        count += thread.barrier_predicate != 0;
        all = all && thread.barrier_predicate;
        any = any || thread.barrier_predicate;
        grid = thread.barrier_result == grid_barrier;
    }
    if (!first) return false;
    std::uint32_t joined = 0;
    for (const Thread& thread : block.threads) joined = machine().acquisitions.join(joined, thread.clock.acquired);
    if (grid) {
        block.races.end_block(block);
        ++block.grid_phase;
        park(block, BlockState::GridSync);
        if (block.launch->grid_stuck) {
            Finding finding = finding_at(*first, "deadlock", first->barrier_pc);
            finding.line = first->barrier_line;
            finding.text = "grid";
            block.executor->findings.push_back(std::move(finding));
            block.stopped = true;
            return true;
        }
        block.races.begin_block(block);
    }
    for (Thread& thread : block.threads) {
        thread.clock.acquired = thread.warp->cursor[thread.lane].acquired = joined;
        if (thread.state == State::Done) continue;
        thread.barrier_result = thread.barrier_kind == Barrier::Count ? count : thread.barrier_kind == Barrier::And ? all
                                : thread.barrier_kind == Barrier::Or ? any : 0;
        thread.state = State::Ready;
    }
    for (WarpUnit& warp : block.warps)
        for (int l = 0; l < warp.lanes; ++l) forget_trace(warp, l);
    ++block.clock.epoch;
    ++block.barriers;
    if (block.recorded) machine().recorder.barrier(first->barrier_line);
    block.barrier_lines.insert(first->barrier_line);
    return true;
}

bool is_done(const Block& block) {
    return std::all_of(block.threads.begin(), block.threads.end(), [](auto& thread) { return thread.state == State::Done; });
}

void run_block(Block& block) {
    while (!block.stopped && !is_done(block)) {
        if (block.number > block.launch->stop_after.load(std::memory_order_relaxed)) return;
        Run all;
        for (WarpUnit& warp : block.warps) {
            const Run run = run_warp(warp);
            if (block.stopped) return;
            all.progress = all.progress || run.progress;
            all.spinning = all.spinning || run.spinning;
        }
        if (all.progress) {
            block.idle_rounds = 0;
        } else if (release_barrier(block)) {
            continue;
        } else if (all.spinning) {
            if (++block.idle_rounds < idle_rounds_before_yield) continue;
            block.idle_rounds = 0;
            park(block, BlockState::Yielded);
        } else {
            report_stuck(block);
            block.stopped = true;
        }
    }
}

void finish_block(Block& block) {
    LaunchState& launch = *block.launch;
    block.races.end_block(block);
    std::uint64_t busy = 0;
    for (const WarpUnit& warp : block.warps) busy += static_cast<std::uint64_t>(__builtin_popcount(warp.touched_global));
    launch.busy_threads += busy;
    launch.busy_blocks += busy > 0;
    launch.barriers += block.barriers;
    if (block.stopped) {
        std::uint64_t known = launch.stop_after.load();
        while (block.number < known && !launch.stop_after.compare_exchange_weak(known, block.number)) {}
    }
    std::lock_guard lock(launch.mutex);
    launch.barrier_lines.merge(block.barrier_lines);
    if (!block.printed.empty()) launch.printed[block.number] = std::move(block.printed);
}

}  // namespace

void block_main() {
    Block& block = *starting_block;
    set_built_ins(block);
    run_block(block);
    finish_block(block);
    block.finished = true;
    park(block, BlockState::Finished);
    std::abort();
}

}  // namespace ladder
