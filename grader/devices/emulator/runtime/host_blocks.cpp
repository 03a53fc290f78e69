#include "host_blocks.h"

#include <malloc.h>

#include <cstdlib>

namespace ladder {

namespace {
constexpr std::size_t least = 64;        // bytes: programs have millions of smaller ones, as nodes of lists and trees
constexpr std::size_t most_rounded = 32; // bytes that malloc gives beyond what it is asked for
}  // namespace

void* HostBlocks::add(void* begin, std::size_t bytes) {
    if (!begin || bytes < least) return begin;
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[reinterpret_cast<Address>(begin)] = bytes;
    return begin;
}

void HostBlocks::remove(void* begin) {
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_.erase(reinterpret_cast<Address>(begin));
}

std::size_t HostBlocks::bytes_from(Address a) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto block = blocks_.upper_bound(a);
    if (block == blocks_.begin()) return not_known;
    const auto [begin, bytes] = *--block;
    if (a >= begin + bytes) return not_known;
    // A library may have freed it, unseen: then something else, of another size, lies there.
    const std::size_t room = malloc_usable_size(reinterpret_cast<void*>(begin));
    return room >= bytes && room - bytes < most_rounded ? begin + bytes - a : not_known;
}

HostBlocks& host_blocks() {
    static HostBlocks& blocks = *new HostBlocks;   // host code frees memory until the very end
    return blocks;
}

}  // namespace ladder

using namespace ladder;

extern "C" {

// Of a whole program; a kernel has neither.
void* __wrap_calloc(std::size_t count, std::size_t bytes) { return host_blocks().add(std::calloc(count, bytes), count * bytes); }
void* __wrap_realloc(void* p, std::size_t bytes) {
    host_blocks().remove(p);
    return host_blocks().add(std::realloc(p, bytes), bytes);
}

}  // extern "C"
