// Bytes around a thread's own variable that none has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ladder {

struct Margin {
    std::uintptr_t array;
    std::size_t bytes, element, width;   // of the variable, of what an array is indexed by first, and before it and behind it
    const char* name;
};

// Whether so many bytes are none of any margin. Most accesses are to one of the arrays.
inline bool is_clear(std::span<const Margin> margins, std::uintptr_t a, unsigned bytes) {
    for (const Margin& margin : margins) {
        const std::uintptr_t begin = margin.array - margin.width, all = margin.bytes + 2 * margin.width;
        if (a + bytes - 1 - begin >= all + bytes - 1) continue;   // before it or behind it
        return a >= margin.array && a + bytes <= margin.array + margin.bytes;
    }
    return true;
}

struct Block;
struct Thread;

// Ends the thread's block if so many bytes are not all its own variables', or lie across in one: an access that is about to happen.
void touch_margins(Thread& thread, std::uintptr_t a, unsigned bytes, bool writes, std::uint32_t pc);

// Whether a thread of the block has its variables there, where stacks lie: else a pointer has only left those of its own.
bool is_of_a_thread(const Block& block, std::uintptr_t a);

}  // namespace ladder
