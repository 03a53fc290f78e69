// cooperative_groups::inclusive_scan and exclusive_scan, by doubling distances (Hillis and Steele, CACM 29(12), 1986).
#pragma once

#include "group_reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Op>
LADDER_INLINE T inclusive_scan(const Group& group, T value, Op&& op, LADDER_LINE) {
    for (unsigned away = 1; away < group.size(); away *= 2) {
        const T before = group.shfl_up(value, away, line);
        if (group.thread_rank() >= away) value = op(before, value);
    }
    return value;
}
template <class Group, class T> LADDER_INLINE T inclusive_scan(const Group& group, T value) {
    return inclusive_scan(group, value, plus<T>());
}

// The thread of rank 0 gets T{}: right for sums, and for nothing else that starts elsewhere.
template <class Group, class T, class Op>
LADDER_INLINE T exclusive_scan(const Group& group, T value, Op&& op, LADDER_LINE) {
    const T before = group.shfl_up(inclusive_scan(group, value, op, line), 1, line);
    return group.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T> LADDER_INLINE T exclusive_scan(const Group& group, T value) {
    return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
