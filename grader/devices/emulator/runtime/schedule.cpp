#include "schedule.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "watching.h"
#include "jitter.h"
#include "machine.h"

namespace ladder {

std::uint64_t Schedule::begin(Executor& executor) {
    const bool is_ahead = !must_begin();
    places_.push_back({BlockState::Running, nullptr, &executor, 0, 0, 0, is_ahead ? &executor : nullptr, false});
    executor.ahead += is_ahead;
    executor.begun = std::chrono::steady_clock::now();
    ++counts_[static_cast<std::size_t>(BlockState::Running)];
    return next_++;
}

void Schedule::arrive(Place& place) {
    if (Executor* const executor = std::exchange(place.ahead_on, nullptr)) --executor->ahead;
}

void Schedule::put(Place& its, BlockState state) {
    if (state != BlockState::Waiting && state != BlockState::Running) arrive(its);
    --counts_[static_cast<std::size_t>(its.state)];
    ++counts_[static_cast<std::size_t>(state)];
    its.state = state;
}

void Schedule::park(Block& block, BlockState state) {
    jitter();
    std::unique_lock lock(mutex);
    wake_watchers(block);
    place(block.number).block = &block;
    put(place(block.number), state);
    if (block.has_ordered && state == BlockState::Finished) rotate();
    if (state == BlockState::Finished && block.stopped) {
        failed_.insert(block.number);
        lowest_failed = std::min(lowest_failed.load(), block.number);
    }
    if (block.has_ordered) passed_by_ = nullptr;
    if (state != BlockState::Waiting) block.has_ordered = block.has_passed = false;
    if (state == BlockState::Yielded && !block.watches) due_.push_back(block.number), due_turns_round_ = true;
    if (state == BlockState::Finished) handed_round_ = due_passes_ = 0;
    if (block.launch->clusters.any()) meet_in_cluster(block, state);
    settle();
    tell(lock);
}

void Schedule::pass_turn(Block& block, std::uint32_t pc) {
    jitter();
    std::unique_lock lock(mutex);
    wake_watchers(block);
    rotate();
    if (++handed_round_ > most_rounds * queue_.size()) let_others_in();
    passed_by_ = &habits_[place_of(pc)];
    ++passed_by_->passed;
    settle();
    tell(lock);
}

// The block whose turn it was comes last: others are to have theirs before the block that takes its place.
void Schedule::rotate() {
    queue_.push_back(queue_.front());
    queue_.pop_front();
}

// Without the mutex, for which the other would have to wait again.
void Schedule::tell(std::unique_lock<AwakeMutex>& lock) {
    std::vector<Executor*> woken;
    woken.swap(to_wake_);
    lock.unlock();
    for (Executor* const executor : woken) executor->changed.notify_one();
}

void Schedule::make_way(Block& block) {
    jitter();
    const std::unique_lock lock(mutex);
    place(block.number).block = &block;
    put(place(block.number), BlockState::Waiting);
    block.executor->released.push_back(&block);
    place(block.number).listed = true;
}

Block* Schedule::resume(Executor& executor) {
    executor.called = false;
    std::deque<Block*>& released = executor.released;
    const std::uint64_t number = turn_.load(std::memory_order_relaxed);
    const bool waits = number < next_ && state_of(number) == BlockState::Waiting;
    Block* block = waits && place(number).executor == &executor ? place(number).block : nullptr;
    if (block) {
        unlist(place(number));
    } else if (released.empty()) {
        return nullptr;
    } else {
        block = released.front();
        released.pop_front();
        place(block->number).listed = false;
    }
    put(place(block->number), BlockState::Running);
    return block;
}

void Schedule::unlist(Place& its) {
    if (!std::exchange(its.listed, false)) return;
    std::erase(its.executor->released, its.block);
    std::erase(its.executor->offered, its.block);
}

Block* Schedule::resume_ahead(Executor& executor) {
    if (executor.offered.empty()) return nullptr;
    Block* const block = executor.offered.front();
    executor.offered.pop_front();
    Place& its = place(block->number);
    its.listed = false;
    put(its, BlockState::Running);
    its.ahead_on = &executor;
    ++executor.ahead;
    executor.begun = std::chrono::steady_clock::now();
    return block;
}

void Schedule::hand_turn(std::uint64_t block) {
    turn_.store(block, std::memory_order_release);
    if (block < next_) {
        arrive(place(block));
        if (place(block).state == BlockState::Waiting) give_turn(place(block));
        call_soon();
    } else if (block < blocks_ && !sleepers_.empty()) {
        call(*sleepers_.back());
    }
}

void Schedule::forget_finished() {
    while (!places_.empty() && places_.front().state == BlockState::Finished) {
        places_.pop_front();
        --counts_[static_cast<std::size_t>(BlockState::Finished)];
        ++first_;
    }
    if (ProgressOfProgram* const shown = machine().program.progress) shown->blocks_done = first_;
}

// That a block is over counts from its turn on, like all that it does to others.
void Schedule::leave_queue(BlockState state) {
    const std::uint64_t block = queue_.front();
    queue_.pop_front();
    if (state != BlockState::Finished) return;
    if (failed_.erase(block) && block < stop_after.load()) stop_after = block;
    if (--taking_turns_ >= window_ || !can_admit()) return;
    ++taking_turns_;
    queue_.push_front(admitted_++);
}

void Schedule::settle() {
    forget_finished();
    do {
        admit();
        while (!queue_.empty()) {
            const std::uint64_t block = queue_.front();
            if (block >= next_ && block > stop_after.load()) {   // it will never begin
                leave_queue(BlockState::Finished);
                continue;
            }
            if (block >= next_) return hand_turn(block);
            const BlockState state = state_of(block);
            if (state == BlockState::Waiting || state == BlockState::Running) return hand_turn(block);
            leave_queue(state);
        }
    } while (queue_changes());
    hand_turn(blocks_);
}

// They find what the words hold now, with the same result as if they were the first to have their turns: so all of them may
// look, and go on to where they need the turn, at once.
void Schedule::offer_looks(Block& block) {
    bool has_offer = false;
    for (const std::uint32_t asking : block.asking) has_offer = offer_look(block.threads[asking]) || has_offer;
    if (!has_offer) return;
    Executor& executor = *block.executor;
    executor.offered.push_back(&block);
    place(block.number).listed = true;
    if (!executor.called && std::find(sleepers_.begin(), sleepers_.end(), &executor) != sleepers_.end()) call(executor);
}

// Who asks under a lock may wait for the one behind it, and that for the next: so they look again in the other direction.
void Schedule::admit_due() {
    if (std::exchange(due_turns_round_, false)) {
        std::sort(due_.begin(), due_.end());
        if (due_goes_back_) std::reverse(due_.begin(), due_.end());
        due_goes_back_ = !due_goes_back_;
    }
    for (const std::uint64_t block : due_) {
        put(place(block), BlockState::Waiting), queue_.push_back(block);
        if (place(block).block->watches) offer_looks(*place(block).block);
    }
    due_.clear();
}

// Blocks that ask for a word under a lock, or with a barrier in each round, never sleep. What they wait for may be for those
// to do that do.
void Schedule::let_others_in() {
    handed_round_ = due_passes_ = 0;
    admit_due();
    if (can_admit()) window_ = 2 * taking_turns_, admit();
}

bool Schedule::queue_changes() {
    if (!due_.empty()) {
        ++idle_passes;
        if (++due_passes_ > most_due_passes) let_others_in();
        else admit_due();
    } else if (can_admit()) {
        crowded = crowded || taking_turns_ >= room;
        window_ = 16 * taking_turns_;
        if (!crowded) window_ = std::min(window_, room);
    } else if (places_.size() == count(BlockState::Finished)) {
        return false;
    } else if (stop_after.load() != ~std::uint64_t{0}) {   // what they wait for may be the failed one's to do
        given_up = true;
        for (const BlockState state : {BlockState::Yielded, BlockState::GridSync, BlockState::ClusterSync}) release(state);
    } else if (count(BlockState::Yielded) > 0) {
        idle_pass();
    } else {   // everybody has come, or never will
        grid_stuck = places_.size() < blocks_ || count(BlockState::Finished) > 0 || count(BlockState::ClusterSync) > 0;
        for (const BlockState state : {BlockState::GridSync, BlockState::ClusterSync}) release(state);
    }
    return true;
}

void Schedule::idle_pass() {
    ++idle_passes;
    for (std::uint64_t block = first_; block < next_; ++block)
        if (place(block).state == BlockState::Yielded) put(place(block), BlockState::Waiting), queue_.push_back(block);
    forget_watchers();
}

void Schedule::release(BlockState state) {
    for (std::uint64_t block = first_; block < next_; ++block) {
        if (place(block).state != state) continue;
        queue_.push_back(block);
        go_on(block);
    }
    forget_watchers();
}

void Schedule::go_on(std::uint64_t block) {
    put(place(block), BlockState::Running);
    Executor& executor = *place(block).executor;
    executor.released.push_back(place(block).block);
    place(block).listed = true;
    executor.called = true;
    executor.changed.notify_one();
}

// At its barrier all blocks of a cluster wait for each other that are not over. Their turns may not have come since.
void Schedule::meet_in_cluster(const Block& block, BlockState state) {
    if (state != BlockState::ClusterSync && state != BlockState::Finished) return;
    const Clusters& clusters = block.launch->clusters;
    Cluster& its = clusters_[clusters.of(block.index)];
    if (state == BlockState::Finished) ++its.finished;
    else its.waiting.push_back(block.number);
    if (its.finished + its.waiting.size() < clusters.blocks()) return;
    for (const std::uint64_t waiting : std::exchange(its.waiting, {})) {
        if (waiting < admitted_ && std::find(queue_.begin(), queue_.end(), waiting) == queue_.end()) queue_.push_back(waiting);
        go_on(waiting);
    }
}

void Schedule::forget_watchers() {
    watchers_.clear();
    watching_ = 0;
    watched_ = false;
}

void Schedule::watch(const Block& block) {
    if (passed_by_) ++passed_by_->in_vain;
    const std::uint32_t nap = ++place(block.number).naps;
    Address last = 0;
    const Address woken_by = std::exchange(place(block.number).woken_by, 0);
    for (const std::uint32_t asking : block.asking) {
        const Thread& thread = block.threads[asking];
        if (thread.asked == last) continue;
        last = thread.asked;
        if (last == woken_by && thread.only_looks) counted_.insert(last);
        watchers_[last].push_back({block.number, nap});
        ++watching_;
    }
}

// Who has the turn next need not wait until it is known what this one waits for: to wake it, that block will ask for the mutex.
void Schedule::doze(Block& block) {
    jitter();
    block.asking.clear();
    for (const WarpUnit& warp : block.warps)
        if (warp.can_run) each_lane(warp.lanes_in(State::Spinning), [&](int l) { block.asking.push_back(warp.threads[l].number); });
    std::unique_lock lock(mutex);
    wake_watchers(block);
    place(block.number).block = &block;
    put(place(block.number), BlockState::Yielded);
    block.has_ordered = block.has_passed = false;
    const auto goes_on = [&](std::uint64_t next) {
        return next < next_ && (state_of(next) == BlockState::Waiting || state_of(next) == BlockState::Running);
    };
    const bool others_go_on = queue_.size() > 1 && goes_on(queue_[1]);
    watched_ = true;
    if (others_go_on) settle();
    watch(block);
    passed_by_ = nullptr;
    if (!others_go_on) settle();
    tell(lock);
}

// No other block can do anything about it before this one hands its turn on.
void Schedule::note_change(Address a, Block& by) {
    constexpr std::size_t most = 64;
    std::vector<Address>& changed = by.changed;
    if (!changed.empty() && changed.back() == a) return;
    changed.push_back(a);
    if (changed.size() < most) return;
    const std::unique_lock lock(mutex);
    wake_watchers(by);
}

void Schedule::wake_watchers(Block& by) {
    for (const Address a : by.changed) wake_watchers_of(a);
    by.changed.clear();
}

// A barrier of the whole grid changes its word with each block that arrives: those that were woken for nothing, or for one
// of many arrivals, let all others arrive before they look again. The others come right after the one that has woken them.
void Schedule::wake_watchers_of(Address a) {
    const auto found = watchers_.find(a);
    if (found == watchers_.end()) return;
    auto place_in_queue = queue_.begin() + !queue_.empty();
    for (const Watcher& watcher : found->second) {
        if (watcher.block < first_) continue;
        Place& sleeper = place(watcher.block);
        if (sleeper.state != BlockState::Yielded || sleeper.naps != watcher.nap) continue;
        ++sleeper.naps;
        if (++sleeper.wakes > eager_wakes || counted_.contains(a)) {
            due_.push_back(watcher.block);
        } else {
            put(sleeper, BlockState::Waiting);
            sleeper.woken_by = a;
            place_in_queue = queue_.insert(place_in_queue, watcher.block) + 1;
        }
    }
    watching_ -= found->second.size();
    found->second.clear();   // and keeps its memory, for who watches a word mostly watches it again
    watched_ = watching_ > 0;
}

}  // namespace ladder
