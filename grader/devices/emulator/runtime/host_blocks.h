// What host code has from malloc and new, and how long it is: a copy may reach past its end, which no callback tells. Of a
// whole program it begins with numbers of its own, by which a copy to the device knows what nothing has set.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "memory.h"

namespace ladder {

class HostBlocks {
public:
    void* add(void* begin, std::size_t bytes);         // returns `begin`
    void* add_unset(void* begin, std::size_t bytes);   // likewise, of what malloc or new gives
    void remove(void* begin);
    std::size_t bytes_from(Address a);                 // up to the end of the block that holds it; not_known
    // Where something of `bytes` bytes from here on was never set, as (offset, bytes).
    std::vector<std::pair<std::size_t, std::size_t>> unset(Address a, std::size_t bytes);

    static constexpr std::size_t not_known = ~std::size_t{0};

private:
    struct Block { std::size_t bytes, filled; };   // `filled`: so many from its start hold what unset memory holds
    const std::pair<const Address, Block>* find(Address a) const;
    std::mutex mutex_;
    std::map<Address, Block> blocks_;
    std::size_t filled_ = 0;
};

HostBlocks& host_blocks();

}  // namespace ladder
