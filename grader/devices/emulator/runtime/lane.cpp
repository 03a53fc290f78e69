// A lane: one CUDA thread on its fiber. It runs until it must wait: its trace is full, a barrier, a warp operation, its end.
//
// Nothing here or in warp.cpp, block.cpp and executor.cpp depends on time: who runs when is decided by what the code does.
#include <algorithm>
#include <cstdlib>

#include "machine.h"

// The built-in variables of a CUDA thread (include/ladder/index.h), which the learner's code reads directly.
#define LADDER_BUILT_IN __thread __attribute__((tls_model("initial-exec")))
LADDER_BUILT_IN ladder::Index built_in_thread_index asm("threadIdx");
LADDER_BUILT_IN ladder::Index built_in_block_index asm("blockIdx");
LADDER_BUILT_IN ladder::Index built_in_block_size asm("blockDim");
LADDER_BUILT_IN ladder::Index built_in_grid_size asm("gridDim");

namespace ladder {

__thread Thread* current __attribute__((tls_model("initial-exec"))) = nullptr;

static __thread void* nowhere = nullptr;   // a fiber that is never continued saves its stack pointer here

void set_built_ins(const Block& block) {
    built_in_block_index = block.index;
    built_in_block_size = block.launch->block;
    built_in_grid_size = block.launch->grid;
}

void thread_main() {
    Thread& thread = *current;
    thread.block->launch->launch->run(thread.block->launch->launch->arguments);
    settle_store(thread);
    wait(thread, State::Done);
    std::abort();
}

void run_lane(Thread& thread) {
    thread.state = State::Ready;
    built_in_thread_index = thread.index;
    current = &thread;
    ladder_switch(&thread.block->scheduler, thread.stack_pointer);
    current = nullptr;
}

void wait(Thread& thread, State state) {
    if (state != State::Full) settle_store(thread);
    thread.state = state;
    ladder_switch(&thread.stack_pointer, thread.block->scheduler);
}

void park(Block& block, BlockState state) {
    LaunchState& launch = *block.launch;
    Thread* const thread = current;
    {
        std::lock_guard lock(launch.mutex);
        launch.states[block.number] = state;
        launch.settle_turn();
    }
    ladder_switch(&block.resume, block.executor->stack_pointer);
    set_built_ins(block);
    if (thread) built_in_thread_index = thread->index;
    current = thread;
}

void await_turn(Thread& thread) {
    LaunchState& launch = *thread.block->launch;
    while (launch.turn.load(std::memory_order_acquire) != thread.block->number) park(*thread.block, BlockState::Waiting);
}

void spun(Thread& thread) {
    if (++thread.spins < spins_before_yield) return;
    thread.spins = 0;
    wait(thread, State::Spinning);
}

void abandon(Thread& thread) {
    Block& block = *thread.block;
    block.stopped = true;
    ladder_switch(&nowhere, block.scheduler);
    std::abort();
}

Finding finding_at(const Thread& thread, const char* kind, std::uint32_t pc) {
    Finding finding;
    finding.kind = kind;
    finding.kernel = thread.block->launch->launch->kernel;
    finding.pc = pc;
    finding.place.in_kernel = true;
    finding.place.block = thread.block->number;
    const Index block = thread.block->index;
    const unsigned block_index[] = {block.x, block.y, block.z}, thread_index[] = {thread.index.x, thread.index.y, thread.index.z};
    std::copy(block_index, block_index + 3, finding.place.block_index);
    std::copy(thread_index, thread_index + 3, finding.place.thread_index);
    return finding;
}

void die(Thread& thread, Finding finding) {
    thread.executor->findings.push_back(std::move(finding));
    abandon(thread);
}

}  // namespace ladder
