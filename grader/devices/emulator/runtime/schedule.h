// Which blocks of a launch can go on, and whose turn it is.
//
// Operations whose order can be seen (global atomics, volatile accesses) are performed by one block at a time: of those that
// can go on, the one with the lowest number, and before it those that have not begun. Who can go on is changed by such
// operations alone, or when nobody can: so results and counters are the same on every run, on any number of executors.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "memory.h"

namespace ladder {

struct Block;
struct Executor;
struct Thread;

enum class BlockState : std::uint8_t {
    Waiting,    // for its turn
    Running,
    Yielded,    // its threads ask for words that others must change
    GridSync,
    Finished,
};
constexpr int eager_wakes = 1;   // of a block in its life: after that, blocks that need not wait come first

class Schedule {
public:
    std::mutex mutex;
    std::atomic<std::uint64_t> stop_after{~std::uint64_t{0}};   // blocks above this one need not run: a lower one failed
    std::atomic<int> idle_passes{0};           // of all blocks since one of them changed something (patience.h)
    std::atomic<bool> given_up{false};         // a block has failed, and no other can go on without it
    bool grid_stuck = false;                   // some blocks wait at grid.sync(), others have returned

    explicit Schedule(std::uint64_t blocks) : blocks_(blocks) {}
    bool has_turn(std::uint64_t block) const { return turn_.load(std::memory_order_acquire) == block; }
    void park(Block& block, BlockState state);
    void watch(const Block& block);   // whose turn it is: it yields until one of the words changes that its lanes ask for
    void wake(Address a, Thread& by) {   // this word has changed: who waits for it may take the turn at once
        if (watched_.load(std::memory_order_relaxed)) wake_watchers(a, by);
    }

    // With the mutex held:
    bool more() const { return next_ < blocks_ && next_ <= stop_after.load(std::memory_order_relaxed); }   // blocks that have not begun
    bool must_begin() const { return turn_.load(std::memory_order_relaxed) >= next_; }   // one of them; nobody else can go on
    std::uint64_t ahead() const { return next_ - turn_.load(std::memory_order_relaxed); }   // how many have begun, if not that
    std::uint64_t begin();            // the next one
    Block* resume_turn(const Executor* executor);   // the block whose turn it is, if it waits for that on this executor
    std::uint64_t first_unfinished() const { return first_; }
    std::uint64_t finished() const { return first_ + count(BlockState::Finished); }

private:
    struct Place {
        BlockState state;
        Block* block;                 // once it has parked
        int wakes;
        std::uint32_t naps;           // how often it has slept: a watcher of an earlier nap is none
    };
    struct Watcher { std::uint64_t block; std::uint32_t nap; };

    Place& place(std::uint64_t block) { return places_[block - first_]; }
    std::size_t count(BlockState state) const { return counts_[static_cast<std::size_t>(state)]; }
    void put(std::uint64_t block, BlockState state);
    void settle();                    // find whose turn it is
    void hand_turn(std::uint64_t block);
    void tell(std::unique_lock<std::mutex>& lock);
    void wake_watchers(Address a, Thread& by);
    void idle_pass();
    void release(BlockState state);   // all blocks in this state run on
    void forget_watchers();

    const std::uint64_t blocks_;
    std::uint64_t next_ = 0, first_ = 0;       // to begin; not finished
    std::deque<Place> places_;                 // of the blocks from first_ to next_, that one excluded
    std::array<std::size_t, 5> counts_{};      // of places_, by state
    std::set<std::uint64_t> able_;             // those that run or wait for their turn
    std::atomic<std::uint64_t> turn_{0};       // the block whose turn it is; == blocks_: nobody's
    std::unordered_map<Address, std::vector<Watcher>> watchers_;   // of words
    std::atomic<bool> watched_{false};
    Executor* due_executor_ = nullptr;         // sleeps, and its block has got the turn
    std::vector<std::uint64_t> due_;           // patient blocks that sleep although their word has changed
};

}  // namespace ladder
