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

// Every thread gets the result. A tile exchanges with the lane 1, 2, 4, ... away: all its threads compute the same.
template <unsigned Size, class Parent, class T, class Op>
LADDER_INLINE T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op&& op, LADDER_LINE) {
    for (unsigned away = 1; away < Size; away *= 2) value = op(value, tile.shfl_xor(value, away, line));
    return value;
}

// Lanes without a pattern: a tree by rank, whose root hands out the result.
template <class T, class Op>
LADDER_INLINE T reduce(const coalesced_group& group, T value, Op&& op, LADDER_LINE) {
    for (unsigned away = 1; away < group.size(); away *= 2) {
        const T other = group.shfl_down(value, away, line);
        if (group.thread_rank() % (2 * away) == 0 && group.thread_rank() + away < group.size())
            value = op(value, other);
    }
    return group.shfl(value, 0, line);
}

}  // namespace cooperative_groups
