// Data races within a block, found as its accesses are replayed.
//
// Two accesses race if they touch a common byte, at least one writes, not both are atomic, and neither happens before the
// other (clocks.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "clocks.h"
#include "findings.h"
#include "launch_races.h"
#include "memory.h"

namespace ladder {

struct Block;
struct Executor;
struct Request;
struct WarpUnit;

// How strongly an access excludes others, and of what width it is.
struct Manner { Strength strength; unsigned width = any_width; bool unchanged = false; };   // unchanged: it writes what lay there

// What is wrong where two accesses meet that nothing orders. The second, third and fourth are only worth a note, as is the last: a write
// behind a read that promised nvcc that there is none.
enum class Meeting : std::uint8_t { Race, SameValue, Unchanged, ShuffleOrder, InFlight, Taken, Cached, Promised };

// What is remembered of one 4-byte word (or, once it was touched in parts, of one byte): the last write, and two reads by
// different warps where there are two. Races with a third reader can go unseen; nothing is reported that is ordered.
struct alignas(64) Cell {    // what each read looks at lies in one line of the cache
    std::uint32_t owner;     // the block's life number; another one means: empty
    bool split;              // the word's four bytes have cells of their own
    bool in_flight;          // the last write is an asynchronous copy that its thread has not waited for
    bool changed;            // by one of the block's writes
    bool taken;              // such a copy may still have to read this
    Waited waited;           // how one waits for the copy that the last write is, if it is one
    Access write, reads[2];
    std::uint64_t value;     // last written
    Access covered;          // the last plain write, if atomics of threads that it was ordered with came after it, or an atomic (covered_by)
};

// A copy bound to a barrier counts as written when its thread arrives there, for the threads that then wait. For its own thread it
// is under way until that waits, too: to arrive is one fence, and to wait another, which has acquired something.
inline bool has_only_arrived(const Cell& cell, const Access& now) {
    const Access& copy = cell.write;
    if ((cell.waited != Waited::Barrier && cell.waited != Waited::Pipeline) || copy.thread != now.thread || copy.epoch != now.epoch) return false;
    return copy.clock == now.clock && copy.acquired == now.acquired && now.tick <= copy.tick + 1;
}

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
    static constexpr std::size_t most_kept = 1 << 14;   // 64 MB
    std::deque<CellPage> pages_;
    std::size_t used_ = 0;
};

class Cells {
public:
    Cell& at(std::uint64_t number, std::uint32_t owner, CellPool& pool) {
        if (number / 32 != last_.number || owner != last_.owner) last_ = find(number / 32, owner, pool);
        return last_.page->cells[number % 32];
    }

private:
    struct Place { std::uint64_t number; CellPage* page; std::uint32_t owner; };   // of an owner before: free
    const Place& find(std::uint64_t number, std::uint32_t owner, CellPool& pool);
    std::size_t slot_of(std::uint64_t number, std::uint32_t owner) const;
    Place last_{0, nullptr, 0};
    std::vector<Place> places_;   // a hash table, for a block may touch little of much
    std::size_t used_ = 0;        // of them, by this owner
    std::uint32_t owner_ = 0;
};

// Races within a block, and within those that follow it in the same place.
class Races {
public:
    void begin_launch(std::size_t regions);
    void begin_block(Block& block);
    void end_block(Block& block);       // hands what it did to global memory to the launch
    void read(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc, Manner);
    void read(Executor&, WarpUnit&, const Request&, Manner);   // by all its lanes, of one array
    void write(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc, Manner,
               std::uint64_t value);
    // The lane's last write there was an asynchronous copy, which is under way until it lands: then it counts as written.
    void issue(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes, Waited by);
    void land(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes);
    // It reads what lies there: until it has been waited for, not even its own thread may write to it.
    void take(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc, Waited by);
    void give(std::uint32_t thread, Address a);
    // The lane compares and swaps this word: what it read of it before was a guess that the swap has now checked.
    void excuse(Executor&, WarpUnit&, int lane, std::uint16_t region, Address a, unsigned bytes);
    std::size_t count_writers(const Executor&, const Region& shared);   // threads of the current block that have written to it, as far as is known

private:
    void file_guesses(Executor& executor);
    struct Shadow { Cells words, parts; };
    Cell& cell_at(Shadow&, const Region&, std::uint16_t index, std::uint64_t word, std::uint32_t owner);
    template <class Visit> void visit(Executor&, WarpUnit&, int lane, std::uint16_t region, Address, unsigned bytes, Visit visit);
    void cover(const Block& block, const Region& region, Address a, const Cell& cell, Strength by);
    Access make(WarpUnit&, int lane, std::uint32_t pc, Manner, unsigned mask) const;
    void check(Executor&, WarpUnit&, int lane, std::uint16_t region, Address, const Access& before, bool before_writes,
               const Access& now, bool now_writes, bool same_value, Waited by = {});
    void report(Executor&, WarpUnit&, int lane, std::uint16_t region, Address, const Access& before, bool before_writes,
                const Access& now, bool now_writes, Meeting, Waited by = {});

    // What asynchronous copies of the current block have yet to read, by thread, in the order in which they were issued.
    struct Source { Address from; unsigned bytes; Waited by; Access read; };
    const Source* source_at(Address a, unsigned bytes) const;
    std::vector<std::vector<Source>> sources_;
    std::size_t taken_ = 0;   // of all threads

    // A plain read that raced with an atomic: forgiven if the reader then compares and swaps the word, as the loop does
    // that the CUDA Programming Guide gives for atomics the hardware lacks.
    struct Guess { std::uint32_t thread; Address word; Finding finding; };

    std::vector<Guess> guesses_;                  // of the current block
    std::vector<Shadow> shadows_;                 // by executor region index
    CellPool pool_;
    std::vector<std::pair<std::uint16_t, std::uint64_t>> touched_;   // words of global memory, by the current block
    std::vector<Summary> covered_;   // its plain accesses to global memory that others of its own have covered since
    std::unordered_map<std::uint64_t, std::size_t> reported_;        // pair of pcs -> finding
    Acquisitions::Ordered ordered_;
    std::uint32_t lives_ = 0;
};

}  // namespace ladder
