// The L1 cache of one multiprocessor, and the blocks that share it.
#pragma once

#include <cstdint>
#include <vector>

#include "sampling.h"

namespace ladder {

// Lines of 128 bytes, whose 32-byte sectors are loaded one by one; the least recently used line of a set gives way.
class Level1 {
public:
    explicit Level1(std::size_t bytes);
    unsigned load(std::uint64_t line, unsigned sectors);   // those of them that were not there, as bits

private:
    static constexpr std::size_t ways = 16;                // not documented; so many that conflicts are rare
    struct Way { std::uint64_t line = ~std::uint64_t{0}, used = 0; unsigned sectors = 0; };
    std::vector<Way> ways_;
    std::size_t sets_;
    std::uint64_t clock_ = 0;
};

// L1 is what shared memory leaves over: its share is one of a few sizes (CUDA programming guide, "Shared Memory", 9.0).
std::size_t level1_bytes(std::size_t both, std::size_t shared_of_all_blocks);

// The launch's sampled blocks, a multiprocessor's worth at once: warps take turns, a few requests each, between barriers.
Traffic share_caches(const LaunchSample& launch, const Choice& choice, std::size_t resident, std::size_t l1_bytes);

}  // namespace ladder
