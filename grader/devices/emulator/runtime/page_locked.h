// Page-locked memory in a graded file, where it is memory of the host like any other: what asynchronous copies still do with it
// is remembered, for host code that touches it meanwhile races with them.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "memory.h"
#include "streams.h"

namespace ladder {

class PageLocked {
public:
    void allocated(void* pointer, std::size_t bytes, int line);
    void freed(void* pointer);                                                  // as the host has waited for all
    void begin_case();                                                          // the memory itself may outlive one
    void copied(Address a, std::size_t bytes, const Work& work, bool writes);   // by this work
    bool any() const { return any_.load(std::memory_order_relaxed); }
    void access(Address a, std::size_t bytes, bool writes, std::uint32_t pc);   // by host code, before it

private:
    static constexpr std::size_t most_uses = 1024;   // the oldest are forgotten
    std::mutex mutex_;
    std::map<Address, Region> blocks_;   // by where each begins
    std::vector<DeviceUse> uses_;
    std::atomic<bool> any_{false};       // uses
};

}  // namespace ladder
