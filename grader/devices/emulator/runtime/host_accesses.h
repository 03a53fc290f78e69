// What the instrumented host code of the learner does: it may touch no device memory, and comes to an end.
#pragma once

#include "machine.h"

namespace ladder {

// `looks`: at a number, and not only as a part of what memcpy moves.
void host_access(Address a, std::size_t bytes, bool writes, Address caller, bool looks = false);
void note_host_write(Address a);   // beside memory that kernels may touch: it may be what other host code waits for
void host_block(Address caller);   // a basic block
// Its time is up while it is at `pc`, or in what a library's function does that is called there: it is left.
[[noreturn]] void host_out_of_time(std::uint32_t pc, bool in_library = false);

}  // namespace ladder
