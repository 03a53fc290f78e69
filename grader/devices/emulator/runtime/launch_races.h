// Data races between the blocks of a launch, found when it is over.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "word_races.h"

namespace ladder {

struct Block;

// Of a programmatic launch: which of these the block did before it had waited for the kernel in front of it (stream_races.cpp).
void note_early(const Block& block, BlockSummary& summary);

class LaunchRaces {
public:
    void add(BlockSummary summary, LaunchState& launch);
    void ended(const Block& block);   // of a cluster: its shared memory is no more
    void check(LaunchState& launch, std::vector<Finding>& findings);   // in the order of the blocks

private:
    static constexpr std::size_t all_shares = ~std::size_t{0};

    void meet_early(LaunchState& launch);
    void meet_blocks(LaunchState& launch, const std::vector<BlockSummary>& blocks, std::size_t share, bool early);
    void meet_all(LaunchState& launch, const BlockSummary& block, std::uint64_t order, std::size_t share, bool early);
    std::size_t share_of(std::uint64_t granule) const;
    std::uint32_t& touched_by(std::uint64_t granule);

    std::mutex mutex_;
    std::vector<BlockSummary> blocks_;
    std::size_t kept_ = 0;                   // words in these
    std::uint64_t met_ = 0;                  // blocks that were looked at before
    std::vector<WordRaces> shares_;          // one for each executor
    ByWord<std::uint32_t> touched_by_;       // 0 nobody, a block's number + 1, or several; and `some_write`
    std::unordered_map<std::uint64_t, std::uint32_t> shared_touched_by_;   // the same of the shared memory of clusters
    EndsOfBlocks ends_;                      // of the blocks of clusters
};

}  // namespace ladder
