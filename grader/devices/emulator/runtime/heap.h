// The heap of kernels: what malloc and new give there. Addresses are not given again within a case, so that memory which
// was freed is known as such; a GPU's malloc is bounded in the same way by what lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "memory.h"

namespace ladder {

struct Thread;

class KernelHeap {
public:
    void begin_case(DeviceMemory& memory);   // nothing is allocated; adds its region, which is empty until something is
    void* allocate(std::size_t bytes, const char* by, std::uint32_t pc);   // null: it is full
    bool release(Address a);           // false: not the begin of memory that is allocated
    bool spans(Address a) const { return a - begin_ < next_ - begin_; }   // whether it may be of the heap
    void check(Thread& thread, Address a, unsigned bytes, bool writes, std::uint32_t pc);   // an access that lies in the heap
    const Region* around(Address a);   // the memory that holds it, else the last before it, or the first; null: there is none
    std::map<std::uint32_t, std::size_t> living() const;   // bytes that were not given back, by the place that asked for them
    void set_limit(std::size_t bytes) { limit_ = bytes; }
    std::size_t limit() const { return limit_; }

private:
    void open();
    const Region* search(Address a) const;

    std::mutex mutex_;
    std::map<Address, Region> given_;   // freed memory, too
    Region* region_ = nullptr;
    Lazy<std::uint8_t> initialised_;
    Address begin_ = 0, next_ = 0;
    std::size_t limit_ = 0, live_ = 0;
};

// By the thread that is current. `caller`: the call's return address.
void* allocate_in_kernel(std::size_t bytes, const char* by, Address caller);
void free_in_kernel(void* p, Address caller);

}  // namespace ladder
