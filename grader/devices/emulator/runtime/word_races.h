// Data races between the blocks of a launch at some of its words: those that one executor looks at when the launch is over.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "clocks.h"
#include "findings.h"
#include "memory.h"

namespace ladder {

struct LaunchState;

bool promises(const Access& read);   // by its line, in a whole program, that its launch writes nothing there

// What one block did to one word of global memory, or of its cluster's shared memory, kept until the launch is over.
struct Summary {
    std::uint64_t granule;
    Access write, read;
    std::uint64_t value;
    bool changes = false;   // the block goes on to change what it has written, by an atomic
    bool writes_early = false, reads_early = false;   // of a programmatic launch: before it has waited for the kernel in front of it
};
// grid_phase: grid.sync() calls before. Phase: twice as many, with those of its cluster, and one more of what its threads did
// between barrier_arrive() and barrier_wait().
struct BlockSummary { std::uint64_t block; std::uint32_t grid_phase, phase; std::vector<Summary> words; };

// A granule is a word of a region, both in one number. Words are counted from the multiple of 4 at or below the region's begin.
constexpr std::uint64_t granule_of(const Region& region, std::uint64_t word) { return static_cast<std::uint64_t>(region.id) << 40 | word; }

// Of two blocks of one cluster: whether a barrier lies between what they did in these phases.
constexpr bool comes_before(std::uint32_t phase, std::uint32_t other) { return other >= (phase + 1) / 2 * 2 + 2; }

// What is known of a word of all blocks that have been looked at: the last write, and two reads by different blocks.
struct BlockAccess { Access access; std::uint64_t block; std::uint32_t phase; };
struct WordOfLaunch { BlockAccess write, reads[2]; std::uint64_t value; bool changes; };
// A block of a cluster that is over. Phase: of a BlockSummary.
struct EndOfBlock { std::uint64_t block; std::uint32_t phase, acquired; };
using EndsOfBlocks = std::map<std::uint64_t, EndOfBlock>;   // by the cluster's number and the rank

// One `T` for each word, by Region::id: of memory that blocks have touched.
template <class T> class ByWord {
public:
    void clear() { tables_.clear(); }
    T& operator[](std::uint64_t granule);

private:
    std::vector<Lazy<T>> tables_;
};

class alignas(cache_lines) WordRaces {
public:
    void begin(std::uint32_t grid_phase);   // grid.sync() orders all that came before
    // What a block did to a word, the blocks in their order; `order`: how much has been looked at before, at all words.
    void meet(LaunchState& launch, const Summary& now, const BlockSummary& block, std::uint64_t order, bool in_parts);
    void meet_life(LaunchState& launch, const Summary& now, const BlockSummary& block, const EndsOfBlocks& ends, std::uint64_t order);
    void forget_shared(const std::function<bool(std::uint64_t)>& is_done);   // of these clusters

    struct Found { std::uint64_t order; std::uint64_t key; Finding finding; };
    std::vector<Found> found;   // each once, with its count

private:
    void meet_in_parts(LaunchState& launch, WordOfLaunch& word, const Summary& now, const BlockSummary& its);
    void meet_whole(LaunchState& launch, WordOfLaunch& word, const Summary& now, const BlockSummary& its);
    void meet_synced(LaunchState& launch, const Summary& now, const BlockSummary& its);
    void report(LaunchState& launch, std::uint64_t granule, const BlockAccess& before, bool before_writes, const BlockAccess& its,
                bool now_writes, bool same_value, const char* text = nullptr);
    bool conflict(const LaunchState& launch, std::uint64_t granule, const BlockAccess& before, const BlockAccess& its);
    bool reads_after(const LaunchState& launch, std::uint64_t granule, const BlockAccess& write, const BlockAccess& read);
    bool is_new(std::uint64_t key);   // else it is counted
    void add(std::uint64_t key, Finding finding) { found.push_back({order_, key, std::move(finding)}); }

    ByWord<WordOfLaunch> words_;
    std::unordered_map<std::uint64_t, std::array<WordOfLaunch, 4>> parts_;   // of words of which bytes are accessed by themselves
    std::unordered_map<std::uint64_t, WordOfLaunch> shared_words_;           // of the shared memory of clusters
    struct Synced { BlockAccess write; std::uint32_t grid_phase; };
    std::unordered_map<std::uint64_t, Synced> synced_;   // first writes of a cooperative launch, where __ldg reads
    std::unordered_map<std::uint64_t, std::size_t> known_;   // where in `found`, by key
    Acquisitions::Ordered ordered_;
    std::uint32_t phase_ = ~0u;
    std::uint64_t order_ = 0;
};

}  // namespace ladder
