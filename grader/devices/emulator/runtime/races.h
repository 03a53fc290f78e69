// Data races by happens-before (FastTrack's idea: Flanagan and Freund, PLDI 2009), with CUDA's own edges:
// block barriers, warp synchronisation, and releases (a fence, then an atomic or volatile store) that another thread acquires.
//
// Two accesses race if they touch a common byte, at least one writes, not both are atomic, and neither happens before the
// other. Epochs count a block's barriers; a lane's clock counts the warp synchronisations it took part in; its tick counts
// the fences it executed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "findings.h"
#include "memory.h"
#include "trace.h"

namespace ladder {

struct Block;
struct Executor;
struct LaunchState;
struct Thread;
struct WarpUnit;

// How strongly an access excludes others at the same address: atomics and volatile accesses do not race with each other.
enum class Strength : std::uint8_t { Plain, BlockAtomic, DeviceAtomic };

// What is wrong where two accesses meet that nothing orders. The second and third are only worth a note.
enum class Meeting : std::uint8_t { Race, SameValue, ShuffleOrder, InFlight };

struct Access {
    std::uint32_t pc;        // 0: none
    std::uint16_t thread;    // in the block
    std::uint8_t mask;       // bytes of the 4-byte word
    Strength strength;
    std::uint32_t epoch, clock, tick, acquired;
};

// What is remembered of one 4-byte word (or, once it was touched in parts, of one byte): the last write, and two reads by
// different warps where there are two. Races with a third reader can go unseen; nothing is reported that is ordered.
struct Cell {
    std::uint32_t owner;     // the block's life number; another one means: empty
    bool split;              // the word's four bytes have cells of their own
    bool in_flight;          // the last write is an asynchronous copy that its thread has not waited for
    Access write, reads[2];
    std::uint64_t value;     // last written
};

// Cells by number, empty when a block begins. They lie in pages of a pool, for a block touches few words of a large array:
// each block uses the pages of the one before again, which the caches still hold.
struct CellPage { Cell cells[32]; };

class CellPool {
public:
    void begin_launch() { pages_.resize(std::min(pages_.size(), most_kept)); }
    void begin_block() { used_ = 0; }
    CellPage* take() {
        if (used_ == pages_.size()) pages_.emplace_back();
        return &pages_[used_++];
    }

private:
    static constexpr std::size_t most_kept = 1 << 14;   // 45 MB
    std::deque<CellPage> pages_;
    std::size_t used_ = 0;
};

class Cells {
public:
    Cells() = default;
    explicit Cells(std::size_t count) : pages_(count / 32 + 1) {}
    explicit operator bool() const { return static_cast<bool>(pages_); }
    Cell& at(std::uint64_t number, std::uint32_t owner, CellPool& pool) {
        Place& place = pages_[number / 32];
        if (place.owner != owner) place = {owner, pool.take()};
        return place.page->cells[number % 32];
    }

private:
    struct Place { std::uint32_t owner; CellPage* page; };   // another owner: no page yet
    Lazy<Place> pages_;
};

// Warp synchronisations as vector clocks. Barriers promise memory order; shuffles and votes only meet (CUDA Programming
// Guide, "Warp Shuffle Functions": "does not imply a memory barrier"): those edges are kept apart as weak.
enum class Edge : std::uint8_t { None, Weak, Strong };

class WarpClock {
public:
    void reset();
    void synchronise(std::uint32_t mask, std::uint32_t alive, bool orders_memory);
    Edge seen(int observer, int lane, std::uint32_t clock) const;   // does what `lane` did at `clock` come before the observer's now?
    std::uint32_t of(int lane) const { return clock_[lane]; }
    const std::uint32_t* strong_row() const { return strong_; }

private:
    using Matrix = std::uint32_t[32][32];
    void join(Matrix& matrix, std::uint32_t mask);
    std::uint32_t clock_[32];
    std::uint32_t strong_[32], weak_[32];            // what all lanes have seen of each
    std::unique_ptr<Matrix> strong_part_, weak_part_;   // [observer][lane], where only some lanes met
};

// What a thread published: all that it and, through barriers, its block had done before the fence.
struct Release {
    std::uint64_t block;
    std::uint32_t epoch, thread, tick, warp;
    std::uint32_t clocks[32];
    bool device;             // a fence of device scope: other blocks may rely on it
    std::uint32_t includes;  // what it had itself acquired
};

// Addresses that carry releases, and sets of releases that threads have acquired. Sets are numbered; 0 is the empty one.
class Acquisitions {
public:
    void clear();
    void release(std::uint64_t object, const Release& release);
    std::uint32_t acquire(std::uint64_t object, std::uint32_t already);
    std::uint32_t join(std::uint32_t a, std::uint32_t b);
    bool covers(std::uint32_t set, std::uint64_t block, const Access& access, bool other_block) const;
    bool empty() const { return objects_.empty(); }

private:
    using Set = std::map<std::uint64_t, std::size_t>;   // object -> how many of its releases
    bool covers(const Set& set, std::uint64_t block, const Access& access, bool other_block, int depth) const;
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::vector<Release>> objects_;
    std::vector<Set> sets_{1};
    std::map<Set, std::uint32_t> numbers_;
};

struct ThreadClock {
    std::uint32_t acquired = 0, tick = 0;
    bool fenced = false, fenced_device = false;
    std::uint32_t fence_epoch = 0, fence_tick = 0;
    std::uint32_t fence_clocks[32];
};

struct BlockClock {
    std::uint32_t owner = 0;            // life number, unique among those that share its cells
    std::uint32_t epoch = 0;            // barriers passed
    std::uint32_t first_fence_epoch = ~0u;   // epoch of the first fence by any thread
    bool device_fence = false;
};

// What one block did to one word of global memory, kept until the launch is over.
struct Summary { std::uint64_t granule; Access write, read; std::uint64_t value; };
struct BlockSummary { std::uint64_t block; std::uint32_t phase; std::vector<Summary> words; };   // phase: grid.sync() calls before

// Races between the blocks of a launch, found when it is over, in the order of the blocks.
class LaunchRaces {
public:
    void add(BlockSummary summary);
    void check(LaunchState& launch, std::vector<Finding>& findings);

private:
    std::mutex mutex_;
    std::vector<BlockSummary> blocks_;
    std::vector<Lazy<std::uint32_t>> touched_by_;   // by Region::id and word: 0 nobody, a block's number + 1, or several
};

// Races within a block, and within those that follow it in the same place.
class Races {
public:
    void begin_launch(std::size_t regions);
    void begin_block(Block& block);
    void end_block(Block& block);       // hands what it did to global memory to the launch
    void read(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc, Strength);
    void write(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc, Strength,
               std::uint64_t value);
    // The lane's last write there was an asynchronous copy, which is under way until it lands: then it counts as written.
    void issue(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes);
    void land(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes);
    // The lane compares and swaps this word: what it read of it before was a guess that the swap has now checked.
    void excuse(const WarpUnit&, int lane, Address a, unsigned bytes);

private:
    void file_guesses(Executor& executor);
    struct Shadow { Cells words, parts; };
    template <class Visit> void visit(Executor&, WarpUnit&, int lane, std::uint16_t region, Address, unsigned bytes, Visit visit);
    void cover(const Region& region, Address a, const Cell& cell);
    Access make(WarpUnit&, int lane, std::uint32_t pc, Strength, unsigned mask) const;
    void check(Executor&, WarpUnit&, int lane, std::uint16_t region, Address, const Access& before, bool before_writes,
               const Access& now, bool now_writes, bool same_value);
    void report(Executor&, WarpUnit&, int lane, std::uint16_t region, Address, const Access& before, bool before_writes,
                const Access& now, bool now_writes, Meeting);

    // A plain read that raced with an atomic: forgiven if the reader then compares and swaps the word, as the loop does
    // that the CUDA Programming Guide gives for atomics the hardware lacks.
    struct Guess { std::uint32_t thread; Address word; Finding finding; };

    std::vector<Guess> guesses_;                  // of the current block
    std::vector<Shadow> shadows_;                 // by executor region index
    CellPool pool_;
    std::vector<std::pair<std::uint16_t, std::uint64_t>> touched_;   // words of global memory, by the current block
    std::vector<Summary> covered_;   // its plain writes to global memory that an atomic of its own has covered since
    std::unordered_map<std::uint64_t, std::size_t> reported_;        // pair of pcs -> finding
    std::uint32_t lives_ = 0;
};

// ---- at execution time ----
void fence(Thread& thread, Scope scope);
void release(Thread& thread, Address a, bool without_fence);
void acquire(Thread& thread, Address a);

}  // namespace ladder
