// What host code has from malloc and new, and how long it is: a copy may reach past its end, which no callback tells.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "memory.h"

namespace ladder {

class HostBlocks {
public:
    void* add(void* begin, std::size_t bytes);   // returns `begin`
    void remove(void* begin);
    std::size_t bytes_from(Address a);           // up to the end of the block that holds it; not_known

    static constexpr std::size_t not_known = ~std::size_t{0};

private:
    std::mutex mutex_;
    std::map<Address, std::size_t> blocks_;
};

HostBlocks& host_blocks();

}  // namespace ladder
