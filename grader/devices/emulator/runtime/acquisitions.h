// What threads hand on to each other between blocks, and who knows of it: releases (a fence, then an atomic or volatile store)
// and sets of them that threads have acquired (clocks.h).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "awake_mutex.h"
#include "release_sets.h"

namespace ladder {

struct Access;

// Numbers by key and width. Where another core has been, a look-up is one line of the cache: of std::unordered_map it is three.
class ObjectNumbers {
public:
    static constexpr std::uint32_t none = ~0u;
    ObjectNumbers() { clear(); }
    void clear() { entries_.assign(fewest, {}), used_ = 0; }
    std::uint32_t find(std::uint64_t key, unsigned width) const { return entries_[place_of(key, width)].number - 1; }
    void add(std::uint64_t key, unsigned width, std::uint32_t number);   // which is new

private:
    struct Entry { std::uint64_t key = 0; std::uint32_t width = 0, number = 0; };   // more by one; 0: free
    static constexpr std::size_t fewest = 64;
    std::size_t place_of(std::uint64_t key, unsigned width) const {   // its own, or that which it would get
        std::uint64_t hash = (key ^ std::uint64_t{width} << 56) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
        for (;; ++hash) {
            const Entry& entry = entries_[hash & (entries_.size() - 1)];
            if (!entry.number || (entry.key == key && entry.width == width)) return hash & (entries_.size() - 1);
        }
    }
    std::vector<Entry> entries_;
    std::size_t used_ = 0;
};

using WarpRow = std::shared_ptr<const std::array<std::uint32_t, 32>>;   // a count for each lane; null: zeros

using FenceCounts = std::shared_ptr<const std::vector<std::uint32_t>>;   // by thread of a block, at a barrier, up to the last that has executed one; null: none

// What a thread has acquired from, and how many releases there were: it need not look there again before there are more.
struct Acquired {
    std::uint64_t object = 0;
    unsigned width = 0;
    std::uint32_t releases = 0;
    bool operator==(const Acquired&) const = default;
};

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
    struct By { std::uint64_t block; std::uint32_t thread; Acquired last{}; };   // that thread, and what it has acquired before this
    std::uint32_t acquire(std::uint64_t object, unsigned width, std::uint32_t already, const By& by, std::uint32_t until);
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
        std::uint32_t last_tick = 0;
        std::uint32_t size = 0;                     // of releases
        std::array<std::uint32_t, 2> handed_on{};   // by the last of them
        std::uint32_t whole = 0;                    // the set of them all, if it has been asked for
        std::uint32_t until = 0, early = 0;         // who was woken together asks the same: how many of these were among the first so many
        bool last_is_device = false;
        std::vector<Release> releases;
        std::uint32_t count(std::uint32_t most);   // of them, with a number up to this
        void add(Release&& release);
        bool is_ahead(const Object& later) const;   // its last release is, of the same thread, which has executed a fence in between
    };
    struct Where { std::uint32_t object, index; };
    // All releases of a block, and those of each thread, where they are many: up to `known` of all.
    struct OfBlock { std::vector<Where> all; std::vector<std::vector<Where>> by_thread; std::atomic<std::size_t> known{0}; };
    struct Closures { std::unordered_map<std::uint32_t, std::vector<Part>> of; std::size_t parts = 0; std::unordered_map<std::uint32_t, int> searched; };
    static constexpr std::uint32_t most_of_earlier_launches = 1 << 18;   // some 50 MB
    static constexpr int most_searches = 8;         // for one of the releases that a set may hold: then its closure is made

    bool holds(std::uint32_t set, const Where& where) const { return where.index < sets_.count(set, where.object); }
    bool has_later(std::uint32_t set, const Acquired& last, const Object& known) const;
    bool is_implied(const Where& where, std::uint32_t object, std::uint32_t count) const;
    bool is_near(std::uint32_t set, const Where& where, bool device, std::size_t most_parts) const;
    std::span<const Where> next_of_thread(OfBlock& releases, const Access& access) const;
    bool repeats(const Release& before, const Release& now, std::uint32_t object);
    const std::vector<Part>& closure(std::uint32_t set, bool device) const;
    bool reaches(std::uint32_t set, const std::vector<Where>& goals, bool device) const;

    mutable AwakeMutex mutex_;   // executors ask for it at each barrier, and the block whose turn it is for each atomic
    ObjectNumbers numbers_;
    std::deque<Object> objects_;
    mutable std::unordered_map<std::uint64_t, OfBlock> by_block_;
    ReleaseSets sets_;
    mutable Closures closures_[2];                  // a cache; [1]: at device scope
    mutable std::vector<std::uint32_t> counts_, goals_;   // of closure() and reaches() alone: by object, all 0 between two calls
    bool rests_ = false;
    alignas(cache_lines) std::atomic<bool> any_{false};
    std::atomic<std::uint32_t> releases_{0};
};

}  // namespace ladder
