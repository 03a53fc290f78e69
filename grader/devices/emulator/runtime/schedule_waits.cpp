// An executor that waits for its blocks' turns: awake at first, for a turn comes round within microseconds.
#include <algorithm>
#include <chrono>
#include <thread>

#include "machine.h"
#include "schedule.h"

namespace ladder {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds before_sleep{1000}, slow_yield{20};
constexpr int fewest_asleep = 4, most_asleep = 64;   // waits, on a crowded machine

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
}
// Until it is called, or for so long. A core that is yielded comes back at once if nobody else needs it; else the next waits are
// spent asleep: few, for that may have been chance, and twice as many each time that it was not. False: this is to be one.
bool wait_awake(Executor& executor, Clock::duration most) {
    constexpr int rounds = 200;
    if (executor.crowded_waits > 0) {
        --executor.crowded_waits;
        return false;
    }
    auto now = Clock::now();
    for (const auto end = now + most; now < end; now = Clock::now()) {
        for (int round = 0; round < rounds; ++round) {
            if (executor.called.load(std::memory_order_relaxed)) {
                executor.crowd /= 2;
                return true;
            }
            relax();
        }
        const auto before = Clock::now();
        std::this_thread::yield();
        if (Clock::now() - before < slow_yield) continue;
        executor.crowded_waits = executor.crowd = std::clamp(2 * executor.crowd, fewest_asleep, most_asleep);
        return false;
    }
    return true;
}
}  // namespace

void AwakeMutex::lock() {
    constexpr int looks = 200;
    for (int look = 0; look < looks; ++look, relax())
        if (!held_.load(std::memory_order_relaxed) && mutex_.try_lock()) return held_.store(true, std::memory_order_relaxed);
    mutex_.lock();
    held_.store(true, std::memory_order_relaxed);
}

// The first in the queue of the blocks that wait for their turn on this executor.
Block* Schedule::next_of(const Executor& executor) {
    constexpr std::size_t most_looks = first_window;
    for (std::size_t i = 0; i < std::min(queue_.size(), most_looks); ++i) {
        const std::uint64_t block = queue_[i];
        if (block < next_ && state_of(block) == BlockState::Waiting && place(block).executor == &executor) return place(block).block;
    }
    return nullptr;
}

// A turn comes round within microseconds, and to fall asleep and be woken takes as long. If it takes twice as long as the last
// block has computed, the executor had better begin another: no sooner, for the turn would then have to wait for that one.
Block* Schedule::wait(Executor& executor, std::unique_lock<AwakeMutex>& lock) {
    sleepers_.push_back(&executor);
    executor.called = false;
    executor.given = nullptr;
    Block* const next = executor.ready = next_of(executor);
    const bool can_begin = executor.ahead < executor.launch->seats && (more() || !executor.offered.empty());
    lock.unlock();
    if (next) executor.load(*next);
    const Clock::duration most = can_begin ? std::min<Clock::duration>(2 * (Clock::now() - executor.begun), before_sleep) : before_sleep;
    const bool was_awake = wait_awake(executor, most);
    if (Block* const given = executor.given.load(std::memory_order_acquire)) return given;
    lock.lock();
    const auto called = [&] { return executor.called.load(std::memory_order_relaxed); };
    executor.asleep = true;
    if (!can_begin) executor.changed.wait(lock, called);
    else executor.has_waited = !executor.changed.wait_for(lock, was_awake ? Clock::duration{0} : most, called);
    executor.asleep = false;
    if (Block* const given = executor.given) {
        lock.unlock();
        return given;
    }
    std::erase(sleepers_, &executor);
    return nullptr;
}

// Its turn has come. Who waits for it need not ask for the mutex, which would make all that come behind it wait longer.
void Schedule::give_turn(Place& its) {
    Executor& executor = *its.executor;
    if (!executor.called && std::erase(sleepers_, &executor) > 0) {
        unlist(its);
        put(its, BlockState::Running);
        executor.given.store(its.block, std::memory_order_release);
    }
    call(executor);
}

void Schedule::call(Executor& executor) {
    executor.called = true;
    if (executor.asleep) to_wake_.push_back(&executor);
}

// To be woken takes as long as some turns do, and so does it to make a block ready.
void Schedule::call_soon() {
    constexpr std::size_t soon = 4;
    if (sleepers_.empty()) return;
    for (std::size_t i = 1; i < std::min(queue_.size(), soon); ++i) {
        const std::uint64_t block = queue_[i];
        if (block >= next_ || state_of(block) != BlockState::Waiting) continue;
        const Block* const next = place(block).block;
        Executor& executor = *place(block).executor;
        const bool waits = !executor.called && std::find(sleepers_.begin(), sleepers_.end(), &executor) != sleepers_.end();
        if (waits && (executor.asleep || executor.ready != next)) call(executor);
    }
}

}  // namespace ladder
