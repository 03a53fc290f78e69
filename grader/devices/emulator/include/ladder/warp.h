// The warp-wide functions: shuffles, votes, matches, reductions. `mask` names the lanes that take part.
#pragma once

#include <type_traits>

#include "bits.h"
#include "index.h"

namespace ladder {

constexpr unsigned all_lanes = 0xffffffffu;

template <class T> constexpr bool number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// The type that arithmetic makes of T: what a shuffle of a char or short returns, as with CUDA's overloads.
template <class T> using Promoted = decltype(+T{});

template <class T> LADDER_INLINE T shuffle(Warp how, unsigned mask, T value, int argument, int width, int line) {
    return from_bits<T>(ladder_warp(how, mask, to_bits(value), argument, width, line));
}

LADDER_INLINE unsigned vote(Warp op, unsigned mask, int predicate, int line) {
    return static_cast<unsigned>(ladder_warp(op, mask, predicate != 0, 0, warpSize, line));
}

template <class T> LADDER_INLINE T reduce(Warp op, unsigned mask, T value, int line) {
    return from_bits<T>(ladder_warp(op, mask, to_bits(value), 0, warpSize, line));
}

}  // namespace ladder

LADDER_INLINE void __syncwarp(unsigned mask = ladder::all_lanes, LADDER_LINE) {
    ladder_warp(ladder::Warp::Sync, mask, 0, 0, warpSize, line);
}

LADDER_INLINE unsigned __activemask(LADDER_LINE) { return ladder_active_mask(line); }

#ifdef __CUDA__   // old names, which no variable may have, and a call with a bool finds before a template
LADDER_SIDE bool any(bool) __attribute__((unavailable));
LADDER_SIDE bool all(bool) __attribute__((unavailable));
LADDER_SIDE unsigned ballot(bool) __attribute__((unavailable));
#endif

// ---- shuffles: int, unsigned, 64-bit integers, float, double; half.h and bfloat16.h add theirs ----

template <class T, LADDER_IF(ladder::number<T>)>
LADDER_INLINE ladder::Promoted<T> __shfl_sync(unsigned mask, T value, int lane, int width = warpSize,
                                              LADDER_LINE) {
    return ladder::shuffle(ladder::Warp::ShuffleIndex, mask, +value, lane, width, line);
}

template <class T, LADDER_IF(ladder::number<T>)>
LADDER_INLINE ladder::Promoted<T> __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                                                 LADDER_LINE) {
    return ladder::shuffle(ladder::Warp::ShuffleUp, mask, +value, static_cast<int>(delta), width, line);
}

template <class T, LADDER_IF(ladder::number<T>)>
LADDER_INLINE ladder::Promoted<T> __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                                                   LADDER_LINE) {
    return ladder::shuffle(ladder::Warp::ShuffleDown, mask, +value, static_cast<int>(delta), width, line);
}

template <class T, LADDER_IF(ladder::number<T>)>
LADDER_INLINE ladder::Promoted<T> __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                                                  LADDER_LINE) {
    return ladder::shuffle(ladder::Warp::ShuffleXor, mask, +value, lane_mask, width, line);
}

// ---- votes ----

LADDER_INLINE int __all_sync(unsigned mask, int predicate, LADDER_LINE) {
    return static_cast<int>(ladder::vote(ladder::Warp::All, mask, predicate, line));
}

LADDER_INLINE int __any_sync(unsigned mask, int predicate, LADDER_LINE) {
    return static_cast<int>(ladder::vote(ladder::Warp::Any, mask, predicate, line));
}

LADDER_INLINE unsigned __ballot_sync(unsigned mask, int predicate, LADDER_LINE) {
    return ladder::vote(ladder::Warp::Ballot, mask, predicate, line);
}


// ---- matches: which lanes hold the same bits ----

template <class T, LADDER_IF(ladder::number<T>)>
LADDER_INLINE unsigned __match_any_sync(unsigned mask, T value, LADDER_LINE) {
    return static_cast<unsigned>(ladder_warp(ladder::Warp::MatchAny, mask, ladder::to_bits(+value), 0, warpSize, line));
}

template <class T, LADDER_IF(ladder::number<T>)>
LADDER_INLINE unsigned __match_all_sync(unsigned mask, T value, int* equal, LADDER_LINE) {
    const auto lanes =
        static_cast<unsigned>(ladder_warp(ladder::Warp::MatchAll, mask, ladder::to_bits(+value), 0, warpSize, line));
    *equal = lanes != 0;
    return lanes;
}

// ---- reductions of 32-bit integers (a real GPU has them from compute capability 8.0 on) ----

LADDER_INLINE unsigned __reduce_add_sync(unsigned mask, unsigned value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::AddUnsigned, mask, value, line);
}
LADDER_INLINE int __reduce_add_sync(unsigned mask, int value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::AddUnsigned, mask, value, line);   // two's complement: the same sum
}
LADDER_INLINE unsigned __reduce_min_sync(unsigned mask, unsigned value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::MinUnsigned, mask, value, line);
}
LADDER_INLINE int __reduce_min_sync(unsigned mask, int value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::MinSigned, mask, value, line);
}
LADDER_INLINE unsigned __reduce_max_sync(unsigned mask, unsigned value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::MaxUnsigned, mask, value, line);
}
LADDER_INLINE int __reduce_max_sync(unsigned mask, int value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::MaxSigned, mask, value, line);
}
LADDER_INLINE unsigned __reduce_and_sync(unsigned mask, unsigned value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::And, mask, value, line);
}
LADDER_INLINE unsigned __reduce_or_sync(unsigned mask, unsigned value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::Or, mask, value, line);
}
LADDER_INLINE unsigned __reduce_xor_sync(unsigned mask, unsigned value, LADDER_LINE) {
    return ladder::reduce(ladder::Warp::Xor, mask, value, line);
}
