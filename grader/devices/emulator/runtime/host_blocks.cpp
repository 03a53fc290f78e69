#include "host_blocks.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "machine.h"
#include "pages.h"

namespace ladder {

namespace {
constexpr std::size_t least = 64;        // bytes: programs have millions of smaller ones, as nodes of lists and trees
constexpr std::size_t most_rounded = 32; // bytes that malloc gives beyond what it is asked for,
constexpr std::size_t large = 128 * 1024;   // or a page, of what may have pages of its own
constexpr std::size_t most_filled_of_a_block = std::size_t{4} << 20, most_filled_of_all = std::size_t{1} << 30;
using Unit = std::uint32_t;
constexpr std::size_t few_units = 2;   // one alone may hold such a number by chance, or lie between two members

// What lies in fresh memory: as a float or a double nearly 0, for which programs may well do as they do on a GPU.
Unit unset_unit(std::size_t number) { return static_cast<Unit>(number + 1) * 2654435761u >> 8 | 0x00100000u; }

bool is_unset(const char* begin, std::size_t number) {
    const Unit unit = unset_unit(number);
    return std::memcmp(begin + number * sizeof unit, &unit, sizeof unit) == 0;
}
}  // namespace

void* HostBlocks::add(void* begin, std::size_t bytes) {
    if (!begin || bytes < least) return begin;
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[reinterpret_cast<Address>(begin)] = {bytes, 0};
    return begin;
}

void* HostBlocks::add_unset(void* begin, std::size_t bytes) {
    add(begin, bytes);
    if (!begin || bytes < least || !machine().whole_program) return begin;
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t filled = std::min(bytes, most_filled_of_a_block) / sizeof(Unit) * sizeof(Unit);
    if (filled_ + filled > most_filled_of_all) return begin;
    filled_ += filled;
    blocks_[reinterpret_cast<Address>(begin)].filled = filled;
    for (std::size_t number = 0; number < filled / sizeof(Unit); ++number) {
        const Unit unit = unset_unit(number);
        std::memcpy(static_cast<char*>(begin) + number * sizeof unit, &unit, sizeof unit);
    }
    return begin;
}

void HostBlocks::remove(void* begin) {
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_.erase(reinterpret_cast<Address>(begin));
}

const std::pair<const Address, HostBlocks::Block>* HostBlocks::find(Address a) const {
    auto block = blocks_.upper_bound(a);
    if (block == blocks_.begin()) return nullptr;
    const auto& [begin, found] = *--block;
    if (a >= begin + found.bytes) return nullptr;
    // A library may have freed it, unseen: then something else, of another size, lies there.
    const std::size_t room = malloc_usable_size(reinterpret_cast<void*>(begin));
    const std::size_t beyond = found.bytes >= large ? page_size() + most_rounded : most_rounded;
    return room >= found.bytes && room - found.bytes < beyond ? &*block : nullptr;
}

std::size_t HostBlocks::bytes_from(Address a) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto* const block = find(a);
    return block ? block->first + block->second.bytes - a : not_known;
}

std::vector<std::pair<std::size_t, std::size_t>> HostBlocks::unset(Address a, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::pair<std::size_t, std::size_t>> found;
    const auto* const block = find(a);
    if (!block || block->second.filled == 0) return found;
    const char* const begin = reinterpret_cast<const char*>(block->first);
    const std::size_t from = a - block->first, end = std::min(from + bytes, block->second.filled) / sizeof(Unit);
    const std::size_t last = block->second.bytes / sizeof(Unit);   // an end that is left out is one unit, as a rule
    for (std::size_t number = (from + sizeof(Unit) - 1) / sizeof(Unit); number < end; ++number) {
        const std::size_t first = number;
        while (number < end && is_unset(begin, number)) ++number;
        if (number - first >= few_units || (number > first && number == last))
            found.emplace_back(first * sizeof(Unit) - from, (number - first) * sizeof(Unit));
    }
    return found;
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
