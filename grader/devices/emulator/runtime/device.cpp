// What device code asks of the machine: barriers, warp operations and questions about itself (include/ladder/abi.h).
#include <algorithm>

#include "machine.h"

using namespace ladder;

// A loop that waits for a time to pass does nothing but look at the clock: after some such looks in a row each takes twice
// as long as the one before, up to a million ticks.
// A GPU's clock has run for hours when a kernel begins, and for longer at each next launch, and each next call.
std::uint64_t ladder::clock_of(Thread& thread) {
    constexpr int looks_before_waiting = 64, most_doublings = 20;
    constexpr std::uint64_t begin = 11'000'001'193'046, of_a_launch = std::uint64_t{1} << 20, of_a_second = 1'000'000'007;
    const Record* const looked = std::exchange(thread.looked, thread.next);
    const auto nothing = [](const Record& each) { return each.event == Event::Block; };
    const bool idle = looked == thread.next || (looked && looked < thread.next && std::all_of(looked, static_cast<const Record*>(thread.next), nothing));
    thread.looks = idle ? thread.looks + 1 : 0;
    thread.ticks += std::uint64_t{1} << std::clamp(thread.looks - looks_before_waiting, 0, most_doublings);
    const Machine& m = machine();
    return begin + of_a_second * static_cast<std::uint64_t>(m.chance.seconds) + of_a_launch * m.launches.size() + thread.ticks;
}

static void meet_blocks(Thread& thread, int which, int line, std::uint32_t pc, std::uint32_t call) {
    thread.barrier_kind = Barrier::Sync;
    thread.barrier_predicate = 0;
    thread.barrier_line = line;
    thread.barrier_result = which;
    thread.barrier_pc = pc;
    thread.barrier_call = call;
    thread.barrier_is_ptx = pc != call;
    wait(thread, State::AtBarrier);
}

// Of a cluster of one block it is that block's barrier.
void ladder::wait_in_cluster(Thread& thread, int line, std::uint32_t pc, std::uint32_t call) {
    meet_blocks(thread, thread.block->launch->clusters.any() ? cluster_barrier : 0, line, pc, call);
    thread.clock.arrival = not_arrived;
}

extern "C" {

int ladder_barrier(Barrier kind, int predicate, int line) {
    Thread* const thread = current;
    if (!thread) return 0;
    thread->barrier_kind = kind;
    thread->barrier_predicate = predicate;
    thread->barrier_line = line;
    thread->barrier_result = 0;
    thread->barrier_pc = thread->barrier_call = program_counter(__builtin_return_address(0));
    thread->barrier_is_ptx = false;
    wait(*thread, State::AtBarrier);
    return thread->barrier_result;
}

void ladder_tile_sync(unsigned threads, int line) {
    Thread* const thread = current;
    if (!thread) return;
    std::size_t place = ptx_barriers + thread->number / threads;
    for (unsigned smaller = 64; smaller < threads; smaller *= 2) place += 1024 / smaller;
    NamedBarrier& barrier = thread->block->named[place];
    barrier.expected = threads;
    barrier.places.push_back(barrier.arrived++);
    barrier.waiting.push_back(thread);
    thread->block->has_named = true;
    thread->barrier_line = line;
    thread->barrier_pc = program_counter(__builtin_return_address(0));
    wait(*thread, State::AtNamed);
}

void ladder_await_phase(const unsigned* phase, unsigned old, int line) {
    Thread* const thread = current;
    if (!thread) return;
    thread->awaited = phase;
    thread->awaited_phase = old;
    thread->block->has_named = true;
    thread->barrier_line = line;
    thread->barrier_pc = program_counter(__builtin_return_address(0));
    wait(*thread, State::AtNamed);
    thread->awaited = nullptr;
}

void ladder_grid_sync(int line) {
    if (current && !current->block->launch->launch->cooperative) ladder_trap("grid.sync() needs a cooperative launch (cudaLaunchCooperativeKernel)", line);
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    if (current) meet_blocks(*current, grid_barrier, line, pc, pc);
}

void ladder_cluster_arrive(int line) {
    if (!current) return;
    if (current->clock.arrival != not_arrived) ladder_trap("barrier_arrive() comes twice without a barrier_wait() between", line);
    arrive_in_cluster(*current);
}

void ladder_cluster_wait(int line) {
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    if (current && current->clock.arrival == not_arrived) ladder_trap("barrier_wait() without a barrier_arrive() before it", line);
    if (current) wait_in_cluster(*current, line, pc, pc);
}

void ladder_cluster_sync(int line) {
    if (current && current->clock.arrival != not_arrived) ladder_trap("sync() between barrier_arrive() and barrier_wait()", line);
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    if (current) wait_in_cluster(*current, line, pc, pc);
}

unsigned ladder_cluster_size(int axis) {
    if (!current) return 1;
    const Index& size = current->block->launch->clusters.size;
    return axis == 0 ? size.x : axis == 1 ? size.y : size.z;
}

unsigned ladder_cluster_is_named() { return current && current->block->launch->clusters.named; }

void* ladder_map_shared(const void* pointer, unsigned rank, int line) {
    if (!current) return nullptr;
    const Clusters& clusters = current->block->launch->clusters;
    if (rank >= clusters.blocks())
        ladder_trap(("map_shared_rank() asks for block " + std::to_string(static_cast<int>(rank)) + ", and the cluster has " + std::to_string(clusters.blocks()) +
                     (clusters.any() ? ": the first is block 0" : ", for the launch names no size (__cluster_dims__, or cudaLaunchAttributeClusterDimension)")).c_str(), line);
    if (!clusters.any()) return const_cast<void*>(pointer);
    void* const mapped = current->executor->clusters.map(reinterpret_cast<Address>(pointer), rank);
    if (!mapped) ladder_trap("map_shared_rank() takes the address of an element of a __shared__ array, and this is none", line);
    return mapped;
}

unsigned ladder_shared_rank(const void* pointer) {
    if (!current || !current->block->launch->clusters.any()) return 0;
    return static_cast<unsigned>(current->executor->clusters.rank_of(reinterpret_cast<Address>(pointer)));
}

// CUDA programming guide, "Warp Shuffle Functions": other widths leave the results undefined.
static bool is_width(int width) { return width > 0 && width <= 32 && (width & (width - 1)) == 0; }

std::uint64_t ladder_warp(Warp op, unsigned mask, std::uint64_t value, int argument, int width, int line) {
    Thread* const thread = current;
    if (!thread) return 0;
    settle_store(*thread);
    thread->request = {thread->warp, static_cast<int>(op), mask, value, argument, width, line, program_counter(__builtin_return_address(0)), 0};
    if (!is_width(width)) [[unlikely]]
        ladder_trap((name_of(thread->request) + " has a width of " + std::to_string(width) + ", which leaves its result undefined: a width is 1, 2, 4, 8, 16 or 32").c_str(), line);
    wait(*thread, State::AtWarp);
    return thread->request.result;
}

unsigned ladder_active_mask(int line) {
    Thread* const thread = current;
    if (!thread) return 0;
    thread->request = {thread->warp, active_mask_op, 0, 0, 0, 0, line, program_counter(__builtin_return_address(0)), 0};
    wait(*thread, State::AtWarp);
    return static_cast<unsigned>(thread->request.result);
}

int ladder_lane() { return current ? current->lane : 0; }
int ladder_in_kernel() { return current != nullptr; }
int ladder_grid_is_cooperative() { return current && current->block->launch->launch->cooperative; }
void* ladder_dynamic_shared() { return current ? current->executor->dynamic_shared : nullptr; }
std::size_t ladder_dynamic_shared_bytes() { return current ? current->block->launch->launch->shared_bytes : 0; }

void ladder_yield(int) {
    Thread* const thread = current;
    if (!thread) return;
    if (thread->stuck >= thread->most_looks - 1) return;   // it looks again, and sleeps, as one that does not say so
    if (thread->stuck > 0) thread->stuck = thread->most_looks - 1;   // it says itself that it has nothing else to do
    wait(*thread, State::Spinning);
}

void ladder_rest(const unsigned* phase, int line) {
    Thread* const thread = current;
    if (!thread) return;
    thread->rests_at = phase;
    thread->barrier_line = line;
    thread->barrier_is_ptx = false;
    ladder_yield(line);
}

long long ladder_clock() { return current ? static_cast<long long>(clock_of(*current)) : 0; }

Space ladder_space(const void* p) {
    if (!current) return Space::Unknown;
    const Region* region = current->executor->find(reinterpret_cast<Address>(p), 1);
    return region ? region->space : Space::Unknown;
}

}  // extern "C"
