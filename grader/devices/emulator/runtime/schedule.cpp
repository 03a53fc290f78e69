#include "schedule.h"

#include <utility>

#include "accesses.h"
#include "jitter.h"
#include "machine.h"

namespace ladder {

namespace {
bool is_able(BlockState state) { return state == BlockState::Waiting || state == BlockState::Running; }
}  // namespace

std::uint64_t Schedule::begin() {
    places_.push_back({BlockState::Running, nullptr, 0, 0});
    ++counts_[static_cast<std::size_t>(BlockState::Running)];
    able_.insert(able_.end(), next_);
    return next_++;
}

void Schedule::put(std::uint64_t block, BlockState state) {
    BlockState& now = place(block).state;
    if (is_able(now) && !is_able(state)) able_.erase(block);
    if (!is_able(now) && is_able(state)) able_.insert(block);
    --counts_[static_cast<std::size_t>(now)];
    ++counts_[static_cast<std::size_t>(state)];
    now = state;
}

void Schedule::park(Block& block, BlockState state) {
    jitter();
    std::unique_lock lock(mutex);
    place(block.number).block = &block;
    put(block.number, state);
    settle();
    tell(lock);
}

// Without the mutex, for which the other would have to wait again.
void Schedule::tell(std::unique_lock<std::mutex>& lock) {
    Executor* const executor = std::exchange(due_executor_, nullptr);
    lock.unlock();
    if (executor) executor->changed.notify_one();
}

Block* Schedule::resume_turn(const Executor* executor) {
    const std::uint64_t number = turn_.load(std::memory_order_relaxed);
    if (number >= next_ || place(number).state != BlockState::Waiting || place(number).block->executor != executor) return nullptr;
    put(number, BlockState::Running);
    return place(number).block;
}

void Schedule::hand_turn(std::uint64_t block) {
    turn_.store(block, std::memory_order_release);
    if (block < next_ && place(block).state == BlockState::Waiting) due_executor_ = place(block).block->executor;
}

void Schedule::settle() {
    while (!places_.empty() && places_.front().state == BlockState::Finished) {
        places_.pop_front();
        --counts_[static_cast<std::size_t>(BlockState::Finished)];
        ++first_;
    }
    if (ProgressOfProgram* const shown = machine().program.progress) shown->blocks_done = first_;
    for (;;) {
        if (!able_.empty()) return hand_turn(*able_.begin());
        if (more()) return hand_turn(next_);
        if (!due_.empty()) {
            for (const std::uint64_t block : due_) put(block, BlockState::Waiting);
            due_.clear();
        } else if (places_.size() == count(BlockState::Finished)) {
            return hand_turn(blocks_);
        } else if (stop_after.load() != ~std::uint64_t{0}) {   // what they wait for may be the failed one's to do
            given_up = true;
            release(BlockState::Yielded);
            release(BlockState::GridSync);
        } else if (count(BlockState::Yielded) > 0) {
            idle_pass();
        } else {   // everybody has come, or never will
            grid_stuck = places_.size() < blocks_ || count(BlockState::Finished) > 0;
            release(BlockState::GridSync);
        }
    }
}

void Schedule::idle_pass() {
    ++idle_passes;
    for (std::uint64_t block = first_; block < next_; ++block)
        if (place(block).state == BlockState::Yielded) put(block, BlockState::Waiting);
    forget_watchers();
}

void Schedule::release(BlockState state) {
    for (std::uint64_t block = first_; block < next_; ++block) {
        if (place(block).state != state) continue;
        put(block, BlockState::Running);
        Executor& executor = *place(block).block->executor;
        executor.released.push_back(place(block).block);
        executor.changed.notify_one();
    }
    forget_watchers();
}

void Schedule::forget_watchers() {
    watchers_.clear();
    watched_ = false;
}

void Schedule::watch(const Block& block) {
    std::lock_guard lock(mutex);
    const std::uint32_t nap = ++place(block.number).naps;
    Address last = 0;
    for (const Thread& thread : block.threads) {
        if (thread.state != State::Spinning || thread.asked == last) continue;
        last = thread.asked;
        watchers_[last].push_back({block.number, nap});
    }
    watched_ = true;
}

// A barrier of the whole grid changes its word with each block that arrives: those that were woken for nothing, or for one
// of many arrivals, let all others arrive before they look again.
void Schedule::wake_watchers(Address a, Thread& by) {
    publish(by);
    jitter();
    std::unique_lock lock(mutex);
    const auto found = watchers_.find(a);
    if (found == watchers_.end()) return;
    for (const Watcher& watcher : found->second) {
        if (watcher.block < first_) continue;
        Place& sleeper = place(watcher.block);
        if (sleeper.state != BlockState::Yielded || sleeper.naps != watcher.nap) continue;
        if (++sleeper.wakes > eager_wakes) due_.push_back(watcher.block);
        else put(watcher.block, BlockState::Waiting);
        ++sleeper.naps;
    }
    watchers_.erase(found);
    watched_ = !watchers_.empty();
    settle();
    tell(lock);
}

}  // namespace ladder
