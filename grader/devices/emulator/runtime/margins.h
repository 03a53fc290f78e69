// Bytes around a thread's own array that belong to nobody.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder {

struct Margin {
    std::uintptr_t array;
    std::size_t bytes, element, width;   // of the array, of what it is indexed by first, and before it and behind it
    const char* name;
};

struct Thread;

// Ends the thread's block if so many bytes are not all its own arrays': an access that is about to happen.
void touch_margins(Thread& thread, std::uintptr_t a, unsigned bytes, bool writes, std::uint32_t pc);

}  // namespace ladder
