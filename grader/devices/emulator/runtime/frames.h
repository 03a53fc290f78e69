// Where in the learner's code a fault was.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <vector>

#include "memory.h"

namespace ladder {

Address fault_pc(const ucontext_t& context);

// Whether host code has used up the stack of the process, which grows down as far as the limit allows.
bool has_full_stack(const ucontext_t& context);

// The innermost frame of the learner's code, to name a line; 0 if there is none.
std::uint32_t learner_frame(const ucontext_t& context);

// Where in the learner's code the running thread is, and where that was called, and so on.
std::vector<std::uint32_t> calls_to_here();

// To be called first where a fault arrives: it may be the unwinder's own, on a stack that is overwritten. Does not return then.
void leave_unwinder();

}  // namespace ladder
