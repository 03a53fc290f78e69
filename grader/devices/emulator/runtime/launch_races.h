// Data races between the blocks of a launch, found when it is over.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "clocks.h"
#include "findings.h"
#include "memory.h"

namespace ladder {

struct Block;
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

// Of a programmatic launch: which of these the block did before it had waited for the kernel in front of it (stream_races.cpp).
void note_early(const Block& block, BlockSummary& summary);

// A granule is a word of a region, both in one number. Words are counted from the multiple of 4 at or below the region's begin.
constexpr std::uint64_t granule_of(const Region& region, std::uint64_t word) { return static_cast<std::uint64_t>(region.id) << 40 | word; }

// Of two blocks of one cluster: whether a barrier lies between what they did in these phases.
constexpr bool comes_before(std::uint32_t phase, std::uint32_t other) { return other >= (phase + 1) / 2 * 2 + 2; }

// What is known of a word of all blocks that have been looked at: the last write, and two reads by different blocks.
struct BlockAccess { Access access; std::uint64_t block; std::uint32_t phase; };
struct WordOfLaunch { BlockAccess write, reads[2]; std::uint64_t value; bool changes; };

class LaunchRaces {
public:
    void add(BlockSummary summary, LaunchState& launch);
    void ended(const Block& block);   // of a cluster: its shared memory is no more
    void check(LaunchState& launch, std::vector<Finding>& findings);   // in the order of the blocks

private:
    void meet_early(LaunchState& launch);
    void meet_all(LaunchState& launch, const BlockSummary& block, bool early);
    void meet_in_parts(LaunchState& launch, WordOfLaunch& word, const Summary& now, const BlockSummary& block);
    void meet(LaunchState& launch, WordOfLaunch& word, const Summary& now, const BlockSummary& block);
    void meet_life(LaunchState& launch, const Summary& now, const BlockSummary& block);
    void report(LaunchState& launch, std::uint64_t granule, const BlockAccess& before, bool before_writes, const BlockAccess& now,
                bool now_writes, bool same_value, const char* text = nullptr);
    void meet_synced(LaunchState& launch, const Summary& now, const BlockSummary& its);
    bool is_new(std::uint64_t key);   // else it is counted

    std::mutex mutex_;
    std::vector<BlockSummary> blocks_;
    std::size_t kept_ = 0;                          // words in these
    std::vector<Lazy<std::uint32_t>> touched_by_;   // by Region::id and word: 0 nobody, a block's number + 1, or several; and `some_write`
    std::vector<Lazy<WordOfLaunch>> words_;
    std::unordered_map<std::uint64_t, std::array<WordOfLaunch, 4>> parts_;   // of words of which bytes are accessed by themselves
    struct Synced { BlockAccess write; std::uint32_t grid_phase; };
    std::unordered_map<std::uint64_t, Synced> synced_;   // first writes of a cooperative launch, where __ldg reads
    std::unordered_map<std::uint64_t, std::uint32_t> shared_touched_by_;   // the same of the shared memory of clusters
    std::unordered_map<std::uint64_t, WordOfLaunch> shared_words_;
    struct End { std::uint64_t block; std::uint32_t phase, acquired; };   // phase: of a BlockSummary
    std::map<std::uint64_t, End> ends_;             // of the blocks of clusters: by the cluster's number and the rank
    std::uint32_t phase_ = ~0u;
    std::vector<Finding> findings_;
    std::unordered_map<std::uint64_t, std::size_t> reported_;
};

}  // namespace ladder
