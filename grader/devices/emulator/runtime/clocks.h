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

#include "acquisitions.h"
#include "memory.h"

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
