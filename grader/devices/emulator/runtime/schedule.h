// Which blocks of a launch can go on, and whose turn it is.
//
// Operations whose order can be seen (global atomics, volatile accesses) are performed by the block whose turn it is. Turns go
// round in a queue of blocks: a block asks for its turn once all its lanes wait, some of them before such an operation. In the
// turn these go on to where they wait next (warp.cpp). Then it is handed on, as it is when the block sleeps, and at its end,
// where the next block of the grid takes its place. All that lies between such operations runs at once. The turn waits for a
// block that still computes, whoever else is ready: so the order depends on what the blocks do and on nothing else, and results
// and counters are the same on every run, on any number of executors.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "awake_mutex.h"
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
    ClusterSync,
    Finished,
};
constexpr int eager_wakes = 1;              // of a block in its life: after that, blocks that need not wait come first
constexpr std::uint64_t steps_of_a_switch = 128;       // records of a trace: what it costs to change to another block and back
constexpr std::uint64_t trials = 8;         // turns that are handed on after a place before it is known what they win
constexpr std::uint64_t steps_without_order = 2048;    // a turn is handed on after these in any case
constexpr std::uint64_t steps_of_a_turn = 65'536;      // the longest, where a block has others to let in
constexpr std::uint64_t most_rounds = 256;  // in which blocks hand their turns round, none is done, and others may wait for more than that
constexpr std::uint64_t most_due_passes = 4;   // the same, of blocks that were due to look again
constexpr std::uint64_t first_window = 32;  // unfinished blocks that take turns: more only if all of them sleep

class Schedule {
public:
    AwakeMutex mutex;
    std::atomic<std::uint64_t> stop_after{~std::uint64_t{0}};   // blocks above this one need not run: a lower one failed
    std::atomic<std::uint64_t> lowest_failed{~std::uint64_t{0}};   // the same, from the failure on: its turn may not have come
    std::atomic<bool> given_up{false};         // a block has failed, and no other can go on without it
    bool grid_stuck = false;                   // some blocks wait at grid.sync(), others have returned
    alignas(cache_lines) std::atomic<int> idle_passes{0};   // of all blocks since one of them changed something (patience.h)
    std::uint64_t room = ~std::uint64_t{0};    // blocks that a large GPU holds at once,
    bool crowded = false;                      // and so many have waited for blocks that had not begun

    explicit Schedule(std::uint64_t blocks) : blocks_(blocks) { admit(); }
    bool has_turn(std::uint64_t block) const { return turn_.load(std::memory_order_acquire) == block; }
    void park(Block& block, BlockState state);
    // Whether a block should hand its turn on that has used it last at this place in the code, and has made so many steps since.
    // At once, unless most that did so there were back soon, or the next one slept because of it: then there is nothing to
    // win, and each change to another block costs.
    bool passes_after(std::uint32_t pc, std::uint64_t steps) const {
        const Habit& habit = habits_[place_of(pc)];
        return 2 * habit.in_vain <= habit.passed + trials || steps >= steps_without_order;
    }
    void pass_turn(Block& block, std::uint32_t pc);   // whose turn it is, and which runs on without it
    void passed_in_vain(std::uint32_t pc) { ++habits_[place_of(pc)].in_vain; }   // by the block whose turn it is
    // It yields until one of the words changes that its lanes ask for. It has the turn, so that none has changed yet, and may
    // still replay what it has done; until it leaves its executor it does nothing that others see.
    void doze(Block& block);
    void make_way(Block& block);   // it leaves its executor to one that has the turn, and goes on behind that
    void wake(Address a, Block& by) {   // this word has changed: who waits for it may take the turn next, once this block hands it on
        if (watched_.load(std::memory_order_relaxed)) note_change(a, by);
    }

    // With the mutex held:
    bool more() const { return next_ < blocks_ && next_ <= stop_after.load(std::memory_order_relaxed); }   // blocks that have not begun
    bool must_begin() const { return turn_.load(std::memory_order_relaxed) >= next_; }   // one of them: its turn has come
    std::uint64_t begin(Executor& executor);   // the next one
    Block* resume(Executor& executor);     // a block of it that can go on, first the one whose turn it is; null if there is none
    Block* resume_ahead(Executor& executor);   // one that begins with a look which was offered to it
    // Until one of its blocks can go on, or a new one must begin. Returns the block whose turn has come if that is all, and it is
    // to run at once: then the mutex is not held.
    Block* wait(Executor& executor, std::unique_lock<AwakeMutex>& lock);
    std::uint64_t first_unfinished() const { return first_; }
    std::uint64_t finished() const { return first_ + count(BlockState::Finished); }

private:
    struct Place {
        BlockState state;
        Block* block;                 // once it has parked; it lies in the caches of its executor, and is not looked into for others
        Executor* executor;
        int wakes;
        Address woken_by;             // the word, if it was woken at once
        std::uint32_t naps;           // how often it has slept: a watcher of an earlier nap is none
        Executor* ahead_on;           // where it runs, until it has its first turn, sleeps or is over
        bool listed;                  // among those that are released or offered
    };
    struct Habit { std::uint64_t passed = 0, in_vain = 0; };   // turns that were handed on after a place; some for little
    struct Cluster { std::uint64_t finished = 0; std::vector<std::uint64_t> waiting; };
    struct Watcher { std::uint64_t block; std::uint32_t nap; };

    static std::size_t place_of(std::uint32_t pc) { return (pc ^ pc >> 8) & 255; }
    Place& place(std::uint64_t block) { return places_[block - first_]; }
    BlockState state_of(std::uint64_t block) { return block < first_ ? BlockState::Finished : place(block).state; }
    std::size_t count(BlockState state) const { return counts_[static_cast<std::size_t>(state)]; }
    void put(Place& its, BlockState state);
    void arrive(Place& place);        // it is no longer ahead of its turn
    void settle();                    // find whose turn it is
    void forget_finished();
    bool queue_changes();             // the queue is empty: whether blocks have come into it
    void rotate();                    // the queue
    void let_others_in();             // who has waited for the queue to be empty, and it may never be
    void admit_due();
    void offer_looks(Block& block);
    Block* next_of(const Executor& executor);
    void hand_turn(std::uint64_t block);
    void unlist(Place& its);
    void give_turn(Place& its);
    void call(Executor& executor);    // if it sleeps, it is to be woken without the mutex
    void call_soon();                 // those whose turns come next
    bool can_admit() const { return admitted_ < blocks_ && (admitted_ < next_ || admitted_ <= stop_after.load(std::memory_order_relaxed)); }
    void admit() {                    // blocks to the end of the queue, as many as the window allows
        for (; taking_turns_ < window_ && can_admit(); ++taking_turns_) queue_.push_back(admitted_++);
    }
    void leave_queue(BlockState state);   // the block whose turn it is, which has parked
    void tell(std::unique_lock<AwakeMutex>& lock);
    void note_change(Address a, Block& by);
    void wake_watchers(Block& by);
    void wake_watchers_of(Address a);
    void idle_pass();
    void release(BlockState state);   // all blocks in this state run on
    void go_on(std::uint64_t block);  // it has waited for others of the grid, or of its cluster
    void meet_in_cluster(const Block& block, BlockState state);
    void watch(const Block& block);
    void forget_watchers();

    alignas(cache_lines) const std::uint64_t blocks_;
    std::uint64_t next_ = 0, first_ = 0;       // to begin; not finished
    std::deque<Place> places_;                 // of the blocks from first_ to next_, that one excluded
    std::array<std::size_t, 6> counts_{};      // of places_, by state
    std::deque<std::uint64_t> queue_;          // of turns: the first has it, whatever it does meanwhile
    std::uint64_t admitted_ = 0;               // blocks below this one are in the queue, asleep or over
    std::uint64_t taking_turns_ = 0, window_ = first_window;   // of these, not over when their turn came; at most so many
    std::array<Habit, 256> habits_{};          // by hash of the pc: of the block whose turn it is
    Habit* passed_by_ = nullptr;               // how that block has got it, if from one that runs on
    std::set<std::uint64_t> failed_;           // blocks; their turns have not come since
    std::unordered_map<Address, std::vector<Watcher>> watchers_;   // of words
    std::size_t watching_ = 0;                 // all of these
    std::unordered_set<Address> counted_;      // words that have changed before they were what a block waits for
    std::unordered_map<std::uint64_t, Cluster> clusters_;   // by number: those that have come to a barrier, or to an end
    std::vector<Executor*> sleepers_;          // executors that wait
    std::vector<Executor*> to_wake_;           // sleep, and have been called
    std::vector<std::uint64_t> due_;           // patient blocks that sleep although their word has changed, or wait for none
    bool due_turns_round_ = false;             // some of them wait for no word: then they come in by their numbers,
    bool due_goes_back_ = true;                // the greatest first
    std::uint64_t handed_round_ = 0, due_passes_ = 0;   // turns; times that due_ came in: since a block was done or new ones came in
    alignas(cache_lines) std::atomic<std::uint64_t> turn_{0};   // the block whose turn it is; == blocks_: nobody's
    std::atomic<bool> watched_{false};         // whether there are any
};

}  // namespace ladder
