// What happens before what (FastTrack's idea: Flanagan and Freund, PLDI 2009), with CUDA's own edges: block barriers, warp
// synchronisation, and releases (a fence, then an atomic or volatile store) that another thread acquires.
//
// Epochs count a block's barriers; a lane's clock counts the warp synchronisations it took part in; its tick counts the
// fences it executed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "awake_mutex.h"
#include "memory.h"
#include "release_sets.h"

namespace ladder {

struct Block;
struct Thread;

// How strongly an access excludes others at the same address: atomics, volatile writes and volatile reads of flags (flags.py)
// do not race with each other. A volatile read for a value is a plain one. Block: only with those of the same block.
enum class Strength : std::uint8_t { Plain, BlockVolatile, BlockAtomic, DeviceAtomic, Volatile };
inline bool is_atomic(Strength strength) { return strength == Strength::BlockAtomic || strength == Strength::DeviceAtomic; }

// Who has accessed memory, and when.
struct Access {
    std::uint32_t pc;        // 0: none
    std::uint16_t thread : 15;   // in the block
    std::uint16_t quiet : 1;     // a write, in a whole program, of what lay there already: and so were those before it that nothing orders
    std::uint8_t mask : 4;   // bytes of the 4-byte word
    std::uint8_t width : 4;  // of the whole access (width_of)
    Strength strength;
    std::uint32_t epoch, clock, tick, acquired;
};

constexpr unsigned cached_width = 14;   // of a plain read through the read-only cache, which stores of the same launch do not reach
constexpr unsigned freed_width = 13;    // of a write that is the end of memory which malloc in a kernel gave
constexpr unsigned any_width = 15;   // of accesses that order nothing, and of vectors in PTX, which stand for one access an element
constexpr unsigned width_of(unsigned bytes) { return static_cast<unsigned>(__builtin_ctz(bytes)); }   // of 1 to 16

// Two accesses exclude each other only if they are of the same bytes: else one of them may be seen in part (PTX ISA, "Morally
// Strong Operations": they overlap completely). Atomics are seen as a whole in any case ("Limitations on Mixed-size Data-races").
inline bool same_bytes(const Access& a, const Access& b) {
    return a.width == b.width || a.width == any_width || b.width == any_width || (is_atomic(a.strength) && is_atomic(b.strength));
}

// How a write counts beside the one before it. Two volatile writes of different values race like plain ones if a thread has
// looked at the word before, and decided by < or > that it overwrites it (overwrites.py): what is written in between is lost.
// So do two atomic exchanges; and atomics for any values if both are calculated from what the word was before (updates.py).
Access beside(const Access& before, Access now, bool same_value);
const char* loses_exchange(const Access& before, const Access& now);   // what is lost, as a finding's text, or null
constexpr const char* cached = "cached";   // a finding's text of a read through the read-only cache behind a write
constexpr const char* unchanged = "unchanged";   // a finding's text of a read beside a write of what lay there already
constexpr const char* lost = "lost";   // a finding's text of two such exchanges
constexpr const char* lost_step = "lost step";   // of two swaps for one more than the word was, which may be meant

std::string widths_text(const Access& a, const Access& b);   // of two that are not of the same bytes: "widths 1 4", the smaller first

inline const char* access_name(const Access& access, bool writes) {
    if (is_atomic(access.strength)) return "atomic";
    if (writes && access.width == freed_width) return "free";
    return writes ? "write" : "read";
}

// Warp synchronisations as vector clocks. Barriers promise memory order; shuffles and votes only meet (CUDA Programming
// Guide, "Warp Shuffle Functions": "does not imply a memory barrier"): those edges are kept apart as weak.
enum class Edge : std::uint8_t { None, Weak, Strong };

using WarpRow = std::shared_ptr<const std::array<std::uint32_t, 32>>;   // a count for each lane; null: zeros

class WarpClock {
public:
    void reset();
    void synchronise(std::uint32_t mask, std::uint32_t alive, bool orders_memory);
    Edge seen(int observer, int lane, std::uint32_t clock) const;   // does what `lane` did at `clock` come before the observer's now?
    std::uint32_t of(int lane) const { return clock_[lane]; }
    const WarpRow& strong_row();

private:
    using Matrix = std::uint32_t[32][32];
    void join(Matrix& matrix, std::uint32_t mask);
    std::uint32_t clock_[32];
    std::uint32_t strong_[32], weak_[32];            // what all lanes have seen of each
    std::unique_ptr<Matrix> strong_part_, weak_part_;   // [observer][lane], where only some lanes met
    WarpRow row_;                                    // a copy of strong_; null where they have met since, or never
    bool has_met_ = false;                           // by a barrier
};

using FenceCounts = std::shared_ptr<const std::vector<std::uint32_t>>;   // by thread of a block, at a barrier; null: none

// What a thread published: all that it and, through barriers, its block had done before its fence; and what the block's
// other threads had done before theirs, if a barrier came between.
struct Release {
    std::uint64_t block;
    std::uint32_t epoch, fence_epoch, thread, tick, warp;   // thread, warp: none if it has not executed a fence itself
    WarpRow clocks;
    FenceCounts fences;      // at the last barrier before
    bool device;             // a fence of device scope: other blocks may rely on it
    std::uint32_t includes;  // what it had itself acquired
    std::uint32_t number;    // of all releases, in their order
    std::array<std::uint32_t, 2> handed_on;   // what it and those before it at its object had acquired; [1]: at device scope
};

// Addresses that carry releases, by the width with which they are written, and sets of releases that threads have acquired. Sets
// are numbered; 0 is the empty one.
//
// Releases at one address are ordered, so a set needs a count for each address only. What those releases had acquired
// themselves belongs to it, too, however long the chain of blocks: `closure` works that out when a race is looked for.
class Acquisitions {
public:
    void clear();
    void release(std::uint64_t object, unsigned width, Release&& release);   // its number and what it hands on are worked out here
    // For this thread of a block, whose own last release is nothing new to it; of the releases with a number up to `until`.
    std::uint32_t acquire(std::uint64_t object, unsigned width, std::uint32_t already, std::uint64_t block, std::uint32_t thread, std::uint32_t until);
    bool last_is_of(std::uint64_t block, std::uint64_t object, unsigned width) const;   // what was released there last
    std::uint32_t join(std::uint32_t a, std::uint32_t b);
    // A block's set without what the block itself has handed on, if that has come back with the rest: so at each barrier of a
    // grid a set begins anew.
    std::uint32_t anew(std::uint32_t set, std::uint64_t block);
    // A release of this block's that the set has orders all that the block did in an epoch before. Who asks next mostly asks
    // the same, and needs no mutex then.
    struct Ordered { std::uint32_t set = 0, epoch = 0; std::uint64_t block = 0; bool device = false; };
    // Whether a set orders this access of a block's, to the object with this key, before what its thread does now. `Near`
    // looks only at what is quickly found, and may miss it. `known` is what this caller was told last.
    enum class Reach : std::uint8_t { Near, All };
    bool covers(std::uint32_t set, std::uint64_t block, const Access& access, std::uint64_t object, bool other_block,
                Ordered& known, Reach reach = Reach::All) const;
    // Until it is taken back, nothing is released or acquired: who asks whether a set covers an access needs the mutex only for
    // what is not quickly found.
    void rest(bool rests) { rests_ = rests; }

    // Asked without the mutex, for every atomic asks. A release that a thread is due to see lies before its question: the
    // block that released has passed its turn on since, or is the thread's own.
    bool empty() const { return !any_.load(std::memory_order_relaxed); }
    std::uint32_t releases() const { return releases_.load(std::memory_order_relaxed); }   // so far; without the mutex, too
    bool is_large() const { return releases() >= most_of_earlier_launches; }

private:
    using Part = ReleaseSets::Part;
    // Most that is asked lies in one line of the cache, which comes from the core that has released here before.
    struct alignas(64) Object {
        std::uint64_t key;
        std::uint64_t last_block = 0;               // of the last release
        std::uint32_t last_thread = 0, last = 0;    // the same: its number
        std::uint32_t size = 0;                     // of releases
        std::array<std::uint32_t, 2> handed_on{};   // by the last of them
        std::uint32_t until = 0, early = 0;         // who was woken together asks the same: how many of these were among the first so many
        std::deque<Release> releases;
        std::uint32_t count(std::uint32_t most);   // of them, with a number up to this
        void add(Release&& release);
    };
    struct Where { std::uint32_t object, index; };
    // All releases of a block, and those of each thread, where they are many: up to `known` of all.
    struct OfBlock { std::vector<Where> all; std::vector<std::vector<Where>> by_thread; std::atomic<std::size_t> known{0}; };
    struct Closures { std::unordered_map<std::uint32_t, std::vector<Part>> of; std::size_t parts = 0; std::unordered_map<std::uint32_t, int> searched; };
    static constexpr std::uint32_t most_of_earlier_launches = 1 << 18;   // some 50 MB
    static constexpr int most_searches = 8;         // for one of the releases that a set may hold: then its closure is made

    bool holds(std::uint32_t set, const Where& where) const { return where.index < sets_.count(set, where.object); }
    bool is_implied(const Where& where, std::uint32_t object, std::uint32_t count) const;
    bool is_near(std::uint32_t set, const Where& where, bool device, std::size_t most_parts) const;
    std::span<const Where> next_of_thread(OfBlock& releases, const Access& access) const;
    bool repeats(const Release& before, const Release& now, std::uint32_t object);
    const std::vector<Part>& closure(std::uint32_t set, bool device) const;
    bool reaches(std::uint32_t set, const std::vector<Where>& goals, bool device) const;

    mutable AwakeMutex mutex_;   // executors ask for it at each barrier, and the block whose turn it is for each atomic
    std::unordered_map<std::uint64_t, std::uint32_t> objects_by_key_[any_width + 1];   // [width]
    std::deque<Object> objects_;
    mutable std::unordered_map<std::uint64_t, OfBlock> by_block_;
    ReleaseSets sets_;
    mutable Closures closures_[2];                  // a cache; [1]: at device scope
    mutable std::vector<std::uint32_t> counts_, goals_;   // of closure() and reaches() alone: by object, all 0 between two calls
    bool rests_ = false;
    alignas(cache_lines) std::atomic<bool> any_{false};
    std::atomic<std::uint32_t> releases_{0};
};

// What a thread has acquired from, and how many releases there were: it need not look there again before there are more.
struct Acquired {
    std::uint64_t object = 0;
    unsigned width = 0;
    std::uint32_t releases = 0;
    bool operator==(const Acquired&) const = default;
};

constexpr std::uint32_t not_arrived = ~0u;
struct ThreadClock {
    std::uint32_t acquired = 0, seen = 0, tick = 0;   // seen: what its next fence will acquire
    std::uint32_t arrival = not_arrived;   // its tick when it arrived at its cluster's barrier, until it has waited there
    std::uint32_t dependency = not_arrived;   // the same when it waited for the kernel in front of a programmatic launch
    bool fenced = false, fenced_device = false;
    std::uint32_t fence_epoch = 0, fence_tick = 0;
    WarpRow fence_clocks;
};

struct BlockClock {
    std::uint32_t owner = 0;            // life number, unique among those that share its cells
    std::uint32_t epoch = 0;            // barriers passed
    bool fenced = false;                // by any thread, since the last barrier
    bool device_fence = false;
    FenceCounts fences;                 // at the last barrier
    std::uint32_t dependency_epoch = not_arrived;   // in which its first thread waited for the kernel in front of it
};

// ---- at execution time ----
void fence(Thread& thread, Scope scope);
void arrive_in_cluster(Thread& thread);
void await_dependency(Thread& thread);
// What a kernel launched by this thread knows of what was done before, as if it had acquired it.
std::uint32_t release_to_child(Thread& thread);
void release(Thread& thread, Address a, unsigned width, Scope scope = Scope::Device);   // what comes before the last fence
// CUDA's own atomics and volatile reads are taken to acquire what they see, for so its samples use them. Where an order is
// named that does not (relaxed, release), only a fence does. Stores acquire nothing.
enum class Acquires : std::uint8_t { Now, AtFence, Never };
constexpr std::uint32_t all_releases = ~0u;
void acquire(Thread& thread, Address a, unsigned width, Acquires when = Acquires::Now, Scope scope = Scope::Device,
             std::uint32_t until = all_releases);   // of the releases of all, the first so many
std::uint64_t object_key(const Block& block, Address a);   // shared memory lies at the same addresses for many blocks
constexpr std::uint64_t key_in_cluster(std::uint64_t cluster, Address home) { return home ^ (cluster + 1) << 48; }

}  // namespace ladder
