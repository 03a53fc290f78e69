// cooperative_groups::inclusive_scan and exclusive_scan, alone and behind what an atomic holds.
#pragma once

#include "group_reduce.h"

namespace cooperative_groups {

// Large tiles: the last lane of each warp tells its warp's sum, and hears that of the warps before it. The first warp's is no
// value of T, and is not used.
template <unsigned Size, class T, class Op> LADDER_INLINE T before_warp(const tile_of_warps<Size>& tile, T of_warp, Op&& op, LADDER_LINE) {
    return tile.across_warps(of_warp, ladder_lane() == 31, [&](const auto& warps, T sum) {
        const T before = warps.shfl_up(scan_lanes(warps, sum, op, line), 1, line);
        return warps.thread_rank() == 0 ? T{} : before;
    }, line);
}

template <class Group, class T, class Op> LADDER_INLINE T inclusive_scan(const Group& group, T value, Op&& op, LADDER_LINE) {
    if constexpr (ladder::of_warps<Group>) {
        const T own = scan_lanes(tile_of_lanes<32>(0, 1), value, op, line), before = before_warp(group, own, op, line);
        return group.thread_rank() < 32 ? own : op(own, before);
    } else {
        return scan_lanes(group, value, op, line);
    }
}
template <class Group, class T> LADDER_INLINE T inclusive_scan(const Group& group, T value, LADDER_LINE) {
    return inclusive_scan(group, value, plus<T>(), line);
}

// The thread of rank 0 gets T{}: right for sums, and for nothing else that starts elsewhere.
template <class Group, class T, class Op> LADDER_INLINE T exclusive_scan(const Group& group, T value, Op&& op, LADDER_LINE) {
    if constexpr (ladder::of_warps<Group>) {
        const tile_of_lanes<32> warp(0, 1);
        const T own = scan_lanes(warp, value, op, line), before = before_warp(group, own, op, line);
        const T of_warp = warp.shfl_up(own, 1, line);
        if (warp.thread_rank() == 0) return before;
        return group.thread_rank() < 32 ? of_warp : op(of_warp, before);
    } else {
        const T before = group.shfl_up(scan_lanes(group, value, op, line), 1, line);
        return group.thread_rank() == 0 ? T{} : before;
    }
}
template <class Group, class T> LADDER_INLINE T exclusive_scan(const Group& group, T value, LADDER_LINE) {
    return exclusive_scan(group, value, plus<T>(), line);
}

// The last thread combines the atomic with all; what it held before goes before everyone's.
template <class Group, class Atomic, class T, class Op>
LADDER_INLINE T inclusive_scan_update(const Group& group, Atomic& with, T value, Op&& op, LADDER_LINE) {
    const T own = inclusive_scan(group, value, op, line);
    const bool last = group.thread_rank() + 1 == group.size();
    const T held = last ? combine(with, own, op, line) : T{};
    return op(group.shfl(held, group.size() - 1, line), own);
}
template <class Group, class Atomic, class T>
LADDER_INLINE T inclusive_scan_update(const Group& group, Atomic& with, T value, LADDER_LINE) {
    return inclusive_scan_update(group, with, value, plus<T>(), line);
}
template <class Group, class Atomic, class T, class Op>
LADDER_INLINE T exclusive_scan_update(const Group& group, Atomic& with, T value, Op&& op, LADDER_LINE) {
    const T before = exclusive_scan(group, value, op, line);
    const bool last = group.thread_rank() + 1 == group.size();
    const T held = group.shfl(last ? combine(with, op(before, value), op, line) : T{}, group.size() - 1, line);
    return group.thread_rank() == 0 ? held : op(held, before);
}
template <class Group, class Atomic, class T>
LADDER_INLINE T exclusive_scan_update(const Group& group, Atomic& with, T value, LADDER_LINE) {
    return exclusive_scan_update(group, with, value, plus<T>(), line);
}

}  // namespace cooperative_groups
