// cooperative_groups::memcpy_async, wait and wait_prior.
#pragma once

#include "async_copy.h"
#include "groups.h"

namespace cooperative_groups {

// All threads of the group take part; `bytes` is the size of the whole copy.
template <class Group>
LADDER_INLINE void memcpy_async(const Group& group, void* to, const void* from, std::size_t bytes) {
    ladder::copy_by_group(group, static_cast<char*>(to), static_cast<const char*>(from), bytes);
}

// With the number of elements on each side: as many as both have.
template <class Group, class T>
LADDER_INLINE void memcpy_async(const Group& group, T* to, std::size_t room, const T* from, std::size_t count) {
    memcpy_async(group, to, from, sizeof(T) * (room < count ? room : count));
}

// Each memcpy_async is a stage of its own: all but the last `Stages` are there.
template <unsigned Stages, class Group> LADDER_INLINE void wait_prior(const Group& group, LADDER_LINE) {
    ladder_copies_awaited(Stages);
    group.sync(line);
}
template <class Group> LADDER_INLINE void wait(const Group& group, LADDER_LINE) { wait_prior<0>(group, line); }

}  // namespace cooperative_groups
