// What threads of a block, or of the whole device, do in order: barriers, fences, waiting, stopping, clocks.
#pragma once

#include "qualifiers.h"

LADDER_INLINE void __syncthreads(int line = __builtin_LINE()) { ladder_barrier(ladder::Barrier::Sync, 0, line); }

LADDER_INLINE int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
    return ladder_barrier(ladder::Barrier::Count, predicate, line);
}

LADDER_INLINE int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
    return ladder_barrier(ladder::Barrier::And, predicate, line);
}

LADDER_INLINE int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
    return ladder_barrier(ladder::Barrier::Or, predicate, line);
}

LADDER_INLINE void __threadfence_block(int line = __builtin_LINE()) { ladder_fence(ladder::Scope::Block, line); }
LADDER_INLINE void __threadfence(int line = __builtin_LINE()) { ladder_fence(ladder::Scope::Device, line); }
LADDER_INLINE void __threadfence_system(int line = __builtin_LINE()) { ladder_fence(ladder::Scope::System, line); }

LADDER_INLINE void __nanosleep(unsigned, int line = __builtin_LINE()) { ladder_yield(line); }
[[noreturn]] LADDER_INLINE void __trap(int line = __builtin_LINE()) { ladder_trap("__trap()", line); }
LADDER_INLINE void __brkpt() {}

// Counts events, not cycles: equal on every run. clock() is the C library's name, which host code may mean too.
LADDER_INLINE long long clock64() { return ladder_clock(); }
