// Barriers that some threads of a block miss, which returns hide: a thread that has returned is waited for no longer.
#include "rounds.h"

#include <algorithm>
#include <utility>

#include "machine.h"

namespace ladder {

namespace {

// Whether it came by this barrier, in a branch that it left out, and went on behind it.
// One that returned before the barrier did not: its last basic block is where all leave.
bool passed_by(const Thread& thread, std::uint32_t barrier) {
    const auto& blocks = thread.last_blocks;
    if (thread.state != State::Done || blocks.size() < 3) return false;
    const auto before = std::find_if(blocks.begin(), blocks.end() - 1, [&](std::uint32_t pc) { return pc < barrier; });
    return std::any_of(before, blocks.end() - 1, [&](std::uint32_t pc) { return pc > barrier; });
}

// The same of a barrier at which nobody has met so far, where that last block is behind the barrier and does some work.
bool works_behind(const Thread& thread, std::uint32_t barrier) {
    const auto& blocks = thread.last_blocks;
    if (blocks.empty() || !thread.works_at_end || blocks.back() < barrier) return false;
    if (thread.barrier_pc) return thread.barrier_pc < barrier;   // where it waited last
    return std::any_of(blocks.begin(), blocks.end() - 1, [&](std::uint32_t pc) { return pc < barrier; });
}

// The innermost loop around a barrier.
const Module::Loop* loop_around(std::uint32_t barrier) {
    const Module::Loop* innermost = nullptr;
    for (const Module::Loop& loop : machine().module.loops)
        if (loop.first <= barrier && barrier <= loop.jump && (!innermost || loop.first > innermost->first)) innermost = &loop;
    return innermost;
}

// Whether it left the loop around this barrier where others go on to the next round, or was behind the loop at its end.
bool left_loop(const Thread& thread, std::uint32_t barrier) {
    const auto& blocks = thread.last_blocks;
    const Module::Loop* const loop = blocks.empty() ? nullptr : loop_around(barrier);
    if (!loop) return false;
    if (blocks.size() == 1) return loop->last < thread.barrier_pc && thread.barrier_pc <= loop->jump;   // in its last block
    if (blocks[blocks.size() - 2] == loop->last) return true;
    const Symbol* const function = machine().module.function_around(machine().module.base + barrier);
    const std::uint64_t end = function ? function->value + function->bytes : loop->jump;
    return std::any_of(blocks.begin(), blocks.end() - 1, [&](std::uint32_t pc) { return pc > loop->jump && pc < end; });
}

struct Missed {
    std::uint32_t pc;
    int line;
    std::string name;
};

void note(Block& block, const char* kind, const Thread& waiting, const Thread& absent, std::uint32_t rounds, const Missed& missed) {
    auto& findings = block.executor->findings;
    for (Finding& known : findings)
        if (known.kind == kind && known.line == missed.line) return void(++known.count);
    Finding finding = finding_at(waiting, kind, missed.pc);
    finding.note = true;
    finding.line = missed.line;
    finding.text = missed.name;
    finding.other = finding_at(absent, "", 0).place;
    finding.offset = rounds;
    const std::size_t blocks = absent.last_blocks.size();   // the last is where all leave
    if (rounds && blocks > 1) finding.other_pc = absent.last_blocks[blocks - 2];
    else if (rounds) finding.other_line = absent.barrier_line;
    findings.push_back(std::move(finding));
}

Meetings* meetings_at(Block& block, std::uint32_t barrier) {
    const auto found = std::find_if(block.meetings.begin(), block.meetings.end(), [&](const Meetings& each) { return each.barrier == barrier; });
    return found != block.meetings.end() ? &*found : nullptr;
}

}  // namespace

void count_meeting(Block& block, std::uint32_t barrier) {
    if (Meetings* const known = meetings_at(block, barrier)) ++known->count;
    else block.meetings.push_back({barrier, 1});
}

void note_absent_threads(Block& block, const Thread& waiting) {
    const std::uint32_t barrier = waiting.barrier_pc;
    const Meetings* const meetings = meetings_at(block, barrier);
    const bool has_met = meetings != nullptr;
    const Thread *passer = nullptr, *leaver = nullptr;
    for (Thread& thread : block.threads) {
        if (thread.state != State::Done) continue;
        if (!passer && (passed_by(thread, barrier) || (!has_met && works_behind(thread, barrier)))) passer = &thread;
        if (std::exchange(thread.is_missed, true) || passer || leaver) continue;
        if (has_met && left_loop(thread, barrier)) leaver = &thread;
    }
    const Missed missed{barrier, waiting.barrier_line, "__syncthreads"};
    if (passer) note(block, "barrier_passed_by", waiting, *passer, 0, missed);
    else if (leaver) note(block, "barrier_rounds", waiting, *leaver, meetings->count, missed);
}

void note_absent_lanes(const WarpUnit& warp, std::uint32_t group) {
    const Thread& waiting = warp.threads[__builtin_ctz(group)];
    const WarpRequest& request = waiting.request;
    const std::uint32_t all = warp.lanes < 32 ? (1u << warp.lanes) - 1 : ~0u;
    each_lane(request.mask & all & ~group, [&](int l) {
        const Thread& absent = warp.threads[l];
        const bool calls_it = absent.request.op == request.op && absent.request.mask;
        if (absent.state == State::Done && calls_it && absent.request.mask != request.mask)
            return note(*warp.block, "masks_differ", waiting, absent, 0, {request.pc, request.line, name_with_mask(request) + '|' + name_with_mask(absent.request)});
        if (absent.state == State::Done && (passed_by(absent, request.pc) || works_behind(absent, request.pc)))
            note(*warp.block, "barrier_passed_by", waiting, absent, 0, {request.pc, request.line, name_of(request)});
    });
}

}  // namespace ladder
