// A lane: one CUDA thread on its fiber. It runs until it must wait: its trace is full, a barrier, a warp operation, its end.
//
// Nothing here or in warp.cpp, block.cpp and executor.cpp depends on time: who runs when is decided by what the code does.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "watching.h"
#include "debug.h"
#include "frames.h"
#include "jitter.h"
#include "machine.h"

// The built-in variables of a CUDA thread (include/ladder/index.h), which the learner's code reads directly.
#define LADDER_BUILT_IN __thread __attribute__((tls_model("initial-exec")))
LADDER_BUILT_IN ladder::Index built_in_thread_index asm("threadIdx");
LADDER_BUILT_IN ladder::Index built_in_block_index asm("blockIdx");
LADDER_BUILT_IN ladder::Index built_in_block_size asm("blockDim");
LADDER_BUILT_IN ladder::Index built_in_grid_size asm("gridDim");

namespace ladder {

__thread Thread* current __attribute__((tls_model("initial-exec"))) = nullptr;

void set_built_ins(const Block& block) {
    built_in_block_index = block.index;
    built_in_block_size = block.launch->block;
    built_in_grid_size = block.launch->grid;
}

constexpr std::size_t most_last_blocks = 16;

// Behind the kernel's return, the launch's own blocks and its return: a pointer that leads to the kernel makes more of these.
static const Record* end_of_kernel(const Record* begin, const Record* next) {
    const Record* end = next;
    int returns = 0;
    for (const Record* record = next; record != begin && returns < 2; --record) {
        if (record[-1].event == Event::Return) ++returns, end = record;
        else if (record[-1].event != Event::Block) break;
    }
    return end;
}

// Its trace begins where it was resumed.
static void note_last_blocks(Thread& thread) {
    const Record* const begin = thread.limit - lane_records;
    const Record* const end = thread.next ? end_of_kernel(begin, thread.next) : nullptr;
    std::array<std::uint32_t, most_last_blocks> blocks;
    auto first = blocks.end();
    for (const Record* record = end; record && record != begin && first != blocks.begin(); --record) {
        const Event event = record[-1].event;
        if (event == Event::Block) *--first = record[-1].pc;
        else if (first == blocks.end() && event < Event::Value) thread.works_at_end = true;
    }
    thread.last_blocks.assign(first, blocks.end());
}

void Thread::reset() {
    auto room = std::move(last_blocks);
    *this = Thread{};
    room.clear();
    last_blocks = std::move(room);
}

// Goes back to the scheduler for good. Reached by a jump, as it must not seem noreturn: a call that never returns would leave
// the processor's return predictions one off.
[[gnu::noinline]] static void end_lane() {
    Thread& thread = *current;
    settle_store(thread);
    note_last_blocks(thread);
    thread.state = State::Done;
    void* nowhere;
    Announced::leave_for_good(thread.block->scheduler.announced);
    ladder_switch(&nowhere, thread.block->scheduler.stack_pointer);
}

// Its frame lies on each stack, which is copied where blocks take turns: so it keeps nothing in registers over the call.
void thread_main() {
    begin_fiber();
    const Launch& launch = *current->block->launch->launch;
    launch.run(launch.arguments);
    end_lane();
}

void wait(Thread& thread, State state) {
    if (state != State::Full) settle_store(thread);
    thread.state = state;
    switch_fiber(thread.fiber, thread.block->scheduler);
}

static void switch_to_executor(Block& block) {
    switch_fiber(block.resume, block.executor->fiber);
    set_built_ins(block);
}

static void give_back_trace(Block& block) {
    leave_trace(block);
    block.executor->keep(std::move(block.trace));
}

void leave(Block& block) {
    give_back_trace(block);
    switch_to_executor(block);
}

void park(Block& block, BlockState state) {
    give_back_trace(block);
    block.launch->schedule.park(block, state);
    switch_to_executor(block);
}

void make_way(Block& block) {
    if (block.launch->executors == 1 || block.dozes || !block.executor->called.load(std::memory_order_relaxed)) return;
    block.launch->schedule.make_way(block);
    leave(block);
}

void await_turn(Block& block) {
    while (!block.launch->schedule.has_turn(block.number)) park(block, BlockState::Waiting);
    if (!block.has_ordered) block.turn_steps = 0;
    if (std::exchange(block.has_passed, false) && block.unordered_steps < steps_of_a_switch) block.launch->schedule.passed_in_vain(block.ordered_at);
    block.orders = block.has_ordered = true;
}

// Where blocks are turned, the one that begins first is the last to be done, as far as the queue reaches: it hands each turn on,
// and the others keep theirs. So what an atomic has told it is no longer so when it draws a ticket.
static bool passes(const Block& block) {
    if (!machine().blocks_turned) return block.launch->schedule.passes_after(block.ordered_at, block.unordered_steps);
    return block.number == 0 || block.unordered_steps >= steps_without_order;
}

static void hand_on(Block& block, const Thread* running) {
    publish(block, running);
    block.has_ordered = false;
    block.has_passed = true;
    block.unordered_steps = 0;
    block.launch->schedule.pass_turn(block, block.ordered_at);
}

void consider_turn(Block& block, std::uint64_t steps) {
    const bool orders = std::exchange(block.orders, false);
    block.unordered_steps = orders ? 0 : block.unordered_steps + steps;
    block.turn_steps += steps;
    if (!block.has_ordered || block.awaiting) return;
    if ((orders || !passes(block)) && block.turn_steps < steps_of_a_turn) return;
    hand_on(block, nullptr);
}

static void wait_ordered(Thread& thread) {
    ++thread.block->awaiting;
    wait(thread, State::Ordered);
    --thread.block->awaiting;
}

// The turn is not asked for before all other threads of the block have come to where they need it, or wait: what they do
// until then, they do beside other blocks. And others must not get the turn before the operation is done: there is room in
// the trace for all that it records.
void begin_ordered(Thread& thread, std::uint32_t pc) {
    constexpr std::ptrdiff_t most_records = 4;
    if (thread.next && thread.limit - thread.next <= most_records) wait(thread, State::Full);
    Block& block = *thread.block;
    // An operation may come here twice, from one place.
    if (machine().blocks_turned && block.number == 0 && block.has_ordered && block.ordered_at != pc && !thread.held) hand_on(block, &thread);
    while (!block.has_ordered) wait_ordered(thread);
    thread.is_offered = false;
    thread.block->orders = true;
    thread.block->ordered_at = pc;
    if (thread.block->number > thread.block->launch->schedule.stop_after.load(std::memory_order_relaxed)) abandon(thread);
    jitter();
}

// Rather not with a lock in its hands, for which the others would come in vain. Not always as many: a loop that takes a lock in each round would be left at one place for ever, say while it holds the lock.
static int most_spins(const Thread& thread) { return spins_before_yield - static_cast<int>(thread.yields * 0x9e3779b9u >> 27); }

void spun(Thread& thread, Address a, unsigned bytes, std::uint64_t found, std::uint64_t operand, bool changes) {
    const bool again = thread.asked == a && thread.found == found && thread.operand == operand && !changes;
    thread.stuck = again ? thread.stuck + 1 : 0;
    thread.asked = a;
    thread.asked_bytes = static_cast<std::uint8_t>(bytes);
    thread.most_looks = machine().memory.all_blocks_see(a) ? looks_in_turn : looks_before_yield;
    thread.found = found;
    thread.operand = operand;
    // Nothing changes while it has the turn. It is asked again all the same, for some give up after so many times: at first
    // soon, then after twice as many each time.
    const bool looks = thread.stuck >= thread.most_looks - 1 && thread.stuck < spins_before_yield / 2 && std::has_single_bit(static_cast<unsigned>(thread.stuck) + 1);
    if (++thread.spins < most_spins(thread) + (thread.held ? spins_before_yield : 0) && !looks) return;
    thread.spins = 0;
    ++thread.yields;
    // It lets others come, and does not wait for them: what it has changed may be all that it is for, as a counter.
    if (changes) thread.block->launch->schedule.idle_passes.store(0, std::memory_order_relaxed);
    wait(thread, State::Spinning);
}

void let_others_take_locks(Thread& thread) {
    Block& block = *thread.block;
    ++block.second_locks;
    thread.stuck = thread.spins = 0;
    ++thread.yields;
    block.launch->schedule.idle_passes.store(0, std::memory_order_relaxed);
    const int naps = block.naps;
    for (int round = 0; round <= idle_rounds_before_yield && block.naps == naps; ++round) wait(thread, State::Spinning);
}

bool offer_look(Thread& thread) {
    if (thread.state != State::Spinning || !thread.only_looks || !thread.by_atomic) return false;
    std::memcpy(&thread.offered, reinterpret_cast<const void*>(thread.asked), thread.asked_bytes);
    thread.offered_releases = machine().acquisitions.releases();
    return thread.is_offered = true;
}

void abandon(Thread& thread) {
    Block& block = *thread.block;
    block.stopped = true;
    leave_fiber(block.scheduler);
}

Finding finding_at(const Thread& thread, const char* kind, std::uint32_t pc) {
    Finding finding;
    finding.kind = kind;
    finding.kernel = thread.block->launch->launch->kernel;
    finding.pc = pc;
    finding.place = {thread.block->number, thread.block->index, thread.index, true};
    return finding;
}

// Other threads that wait for the turn may be about to write what this one should have waited for, and has read before: that
// race is found if they come to it, and replay comes to here, before the thread dies.
static void let_others_come(Thread& thread) {
    if (!thread.block->awaiting) return;
    wait_ordered(thread);
    wait(thread, State::Full);
}

void die(Thread& thread, Finding finding) {
    let_others_come(thread);
    stop_for_debugger();
    Block& block = *thread.block;
    if (!block.faulted && !finding.access.empty()) finding.callers = calls_to_here();
    const bool goes_on = machine().recorder.fault(thread, finding);
    if (!block.faulted) thread.executor->findings.push_back(std::move(finding));
    if (!goes_on) abandon(thread);
    block.faulted = true;
    thread.state = State::Done;
    leave_fiber(block.scheduler);
}

}  // namespace ladder
