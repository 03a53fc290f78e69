// CUDA's qualifiers, and our own, for g++; the front end has its own (sides.h). `__noinline__` is missing on purpose:
// libstdc++ uses the word, so the translation of the source rewrites it.
#pragma once

#include "abi.h"

namespace ladder {
template <bool> struct OnlyIf {};
template <> struct OnlyIf<true> { using type = int; };
template <class T> struct Exactly { using type = T; };   // keeps a parameter out of template deduction

// What `alignas` takes: a type, or a number.
template <class T> constexpr unsigned long alignment() { return alignof(T); }
template <unsigned long bytes> constexpr unsigned long alignment() { return bytes; }
}  // namespace ladder

// A condition on template arguments, as C++17 has it: nvcc compiles a kernel file as C++17, and so do we.
#define LADDER_IF(...) typename ::ladder::OnlyIf<(__VA_ARGS__)>::type = 0

#ifdef __CUDA__
#include "sides.h"
#else

// A helper of ours that becomes part of the learner's line: what it reads and writes are the learner's own accesses.
// Helpers that only compute are LADDER_UNSEEN instead, and then they take values, never addresses: an address would
// force the learner's variable into memory.
#define LADDER_INLINE inline __attribute__((always_inline))
#define LADDER_KNOWN constexpr   // so that variables start with its result without a constructor

// The last parameter of what a finding may be about: the learner's line.
#define LADDER_LINE int line = __builtin_LINE()

#define __host__
#define __device__
// flatten: what a kernel calls becomes part of it, as nvcc does it.
#define __global__ __attribute__((noinline, noclone, flatten))

// A block's shared memory is the thread-local memory of the OS thread that runs it. `used` keeps the loads from an
// array that nobody writes, which are a mistake to report; constant initialization (of nothing) keeps arrays of
// half from getting a constructor and its guard variable. 16 bytes at least: what every CUDA compiler gives, and
// vector loads need.
#define __shared__ __constinit thread_local __attribute__((used, aligned(16)))

// Each in a section of its own, whose name tells the session that reads from it are no global memory traffic. One
// section for all of them cannot be: const and non-const variables may not share one.
#define LADDER_STRING(text) LADDER_STRING_OF(text)
#define LADDER_STRING_OF(text) #text
#define __constant__ __attribute__((used, section("ladder_constant." LADDER_STRING(__COUNTER__))))

#define __managed__
#define __grid_constant__
#define __maxnreg__(...)
// Translation takes those that it sees in a kernel's head, where the body is, and heads.py those that a macro has put there.
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline   // a kernel is flat (above); always_inline would enter code that is not instrumented, too
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __CUDA_ALIGN__(bytes) __attribute__((aligned(bytes)))

#endif

#define __inline_hint__
#define typeof __typeof__   // a word of C++'s to nvcc

// A promise to the optimizer, which keeps no promises here: the emulator must see what the source does.
#define __builtin_assume(condition) ((void)0)
#define __nv_builtin_assume(condition) ((void)0)
