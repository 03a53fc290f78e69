// cooperative_groups::reduce and its operators.
#pragma once

#include "groups.h"

namespace cooperative_groups {

template <class T = void> struct plus { LADDER_INLINE T operator()(T a, T b) const { return a + b; } };
template <class T = void> struct less { LADDER_INLINE T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T = void> struct greater { LADDER_INLINE T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T = void> struct bit_and { LADDER_INLINE T operator()(T a, T b) const { return a & b; } };
template <class T = void> struct bit_or { LADDER_INLINE T operator()(T a, T b) const { return a | b; } };
template <class T = void> struct bit_xor { LADDER_INLINE T operator()(T a, T b) const { return a ^ b; } };

// Also nvcc takes no other operator.
template <class T, class Op> constexpr void keeps_type() {
    static_assert(std::is_same_v<T, std::decay_t<decltype(std::declval<Op&>()(std::declval<T&>(), std::declval<T&>()))>>,
                  "the operator makes another type of the values than they have: for floats write plus<float>()");
}

// Every thread gets the result. Lanes of a tile exchange with the one half the tile away, then a quarter, and so on, as CUDA
// does it: the order in which floats are added is its.
template <unsigned Size, class T, class Op> LADDER_INLINE T reduce(const tile_of_lanes<Size>& tile, T value, Op&& op, LADDER_LINE) {
    keeps_type<T, Op>();
    for (unsigned away = Size / 2; away > 0; away /= 2) value = op(value, tile.shfl_xor(value, away, line));
    return value;
}
template <unsigned Size, class T, class Op> LADDER_INLINE T reduce(const tile_of_warps<Size>& tile, T value, Op&& op, LADDER_LINE) {
    return tile.across_warps(reduce(tile_of_lanes<32>(0, 1), value, op, line), ladder_lane() == 0,
                             [&](const auto& warps, T of_warp) { return reduce(warps, of_warp, op, line); }, line);
}

// A scan by doubling distances (Hillis and Steele, CACM 29(12), 1986).
template <class Group, class T, class Op> LADDER_INLINE T scan_lanes(const Group& group, T value, Op&& op, LADDER_LINE) {
    keeps_type<T, Op>();
    for (unsigned away = 1; away < group.size(); away *= 2) {
        const T before = group.shfl_up(value, away, line);
        if (group.thread_rank() >= away) value = op(value, before);
    }
    return value;
}

// Lanes without a pattern: the last one's scan.
template <class T, class Op> LADDER_INLINE T reduce(const coalesced_group& group, T value, Op&& op, LADDER_LINE) {
    if (group.size() == 32) return reduce(tile_of_lanes<32>(0, 1), value, op, line);
    return group.shfl(scan_lanes(group, value, op, line), group.size() - 1, line);
}

// ---- by one thread, which hands the result on ----

// What a cuda::atomic or atomic_ref held before it was combined with `value`.
template <class Atomic, class T, class Op> LADDER_INLINE T combine(Atomic& with, T value, Op&& op, LADDER_LINE) {
    using How = std::remove_cv_t<std::remove_reference_t<Op>>;
    constexpr bool whole = std::is_integral_v<T>;
    const auto relaxed = ladder_relaxed(with);
    if constexpr (whole && std::is_same_v<How, plus<T>>) return with.fetch_add(value, relaxed, line);
    else if constexpr (whole && std::is_same_v<How, less<T>>) return with.fetch_min(value, relaxed, line);
    else if constexpr (whole && std::is_same_v<How, greater<T>>) return with.fetch_max(value, relaxed, line);
    else {
        T before = with.load(relaxed, line);
        while (!with.compare_exchange_weak(before, op(before, value), relaxed)) {}
        return before;
    }
}

template <class Group, class Atomic, class T, class Op>
LADDER_INLINE void reduce_update_async(const Group& group, Atomic& to, T value, Op&& op, LADDER_LINE) {
    const T result = reduce(group, value, op, line);
    if (group.thread_rank() == 0) combine(to, result, op, line);
}
template <class Group, class Atomic, class T, class Op>
LADDER_INLINE void reduce_store_async(const Group& group, Atomic& to, T value, Op&& op, LADDER_LINE) {
    const T result = reduce(group, value, op, line);
    if (group.thread_rank() == 0) to.store(result, ladder_relaxed(to), line);
}
template <class Group, class T, class Op>
LADDER_INLINE void reduce_store_async(const Group& group, T* to, T value, Op&& op, LADDER_LINE) {
    const T result = reduce(group, value, op, line);
    if (group.thread_rank() == 0) *to = result;
}

}  // namespace cooperative_groups
