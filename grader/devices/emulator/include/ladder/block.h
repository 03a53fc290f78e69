// What threads of a block, or of the whole device, do in order: barriers, fences, waiting, stopping, clocks.
#pragma once

#include "qualifiers.h"

namespace ladder {

// Shared memory for an object whose constructor no thread runs.
template <class T> struct alignas(T) Unmade { unsigned char bytes[sizeof(T)]; };

}  // namespace ladder

#ifdef __CUDA__   // clang has a __syncthreads() of its own, which must be this one
LADDER_SIDE void __syncthreads();
#else
LADDER_INLINE void __syncthreads(LADDER_LINE) { ladder_barrier(ladder::Barrier::Sync, 0, line); }
#endif

LADDER_INLINE int __syncthreads_count(int predicate, LADDER_LINE) {
    return ladder_barrier(ladder::Barrier::Count, predicate, line);
}

LADDER_INLINE int __syncthreads_and(int predicate, LADDER_LINE) {
    return ladder_barrier(ladder::Barrier::And, predicate, line);
}

LADDER_INLINE int __syncthreads_or(int predicate, LADDER_LINE) {
    return ladder_barrier(ladder::Barrier::Or, predicate, line);
}

LADDER_INLINE void __threadfence_block(LADDER_LINE) { ladder_fence(ladder::Scope::Block, line); }
LADDER_INLINE void __threadfence(LADDER_LINE) { ladder_fence(ladder::Scope::Device, line); }
LADDER_INLINE void __threadfence_system(LADDER_LINE) { ladder_fence(ladder::Scope::System, line); }

LADDER_INLINE void __nanosleep(unsigned, LADDER_LINE) { ladder_yield(line); }

// A launch that may begin before the one in front of it ends: here it never does, but what it reads without this is a race.
LADDER_INLINE void cudaGridDependencySynchronize() { ladder_await_dependency(); }
LADDER_INLINE void cudaTriggerProgrammaticLaunchCompletion() {}
[[noreturn]] LADDER_INLINE void __trap(LADDER_LINE) { ladder_trap("__trap()", line); }
LADDER_INLINE void __brkpt() {}
LADDER_INLINE void __prof_trigger(int) {}  // counts for a profiler

// Counts events, not cycles: equal on every run. clock() is the C library's name, which host code may mean too.
LADDER_INLINE long long clock64() { return ladder_clock(); }
