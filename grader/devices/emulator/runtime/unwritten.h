// What copies have brought to host code although nothing had written it: told when host code looks at it. To copy it is
// no mistake yet, for a structure has gaps, and an array may be longer than the results in it.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "memory.h"

namespace ladder {

class UnwrittenCopies {
public:
    void copied(const void* to, const Region& source, Address from, std::size_t bytes, int line);   // after the copy
    bool any() const { return any_.load(std::memory_order_relaxed); }
    void access(Address a, std::size_t bytes, bool writes, std::uint32_t pc);   // by host code, before it

private:
    struct Piece { Address end, from; const Region* source; int line; };   // `from`: on the device
    void forget(Address begin, Address end);
    std::mutex mutex_;
    std::map<Address, Piece> pieces_;   // by where each begins
    std::atomic<bool> any_{false};
};

}  // namespace ladder
