// cooperative_groups: tiles of 64 to 1024 threads, which are whole warps of a block.
//
// Such a tile waits at a barrier of its own. What its warps tell each other goes through shared memory, a word of 8 bytes for
// each, as CUDA does it from compute capability 8.0 on: these loads and stores count as the learner's line's. CUDA's
// barrier, which looks at shared memory again and again, is not counted.
#pragma once

#include "groups.h"

static const char ladder_side_device_ladder_words __attribute__((used)) = 0;   // says that ladder_words is the GPU's (sides.py)

namespace ladder {

// A template, so that a kernel without such tiles has none of it.
template <class T> LADDER_INLINE T* tile_words() {
    static __shared__ T ladder_words[32];
    return ladder_words;
}

}  // namespace ladder

namespace cooperative_groups {

template <unsigned Size> class tile_of_warps {
public:
    static constexpr bool ladder_of_warps = true;
    LADDER_INLINE tile_of_warps(unsigned meta_rank, unsigned meta_size) : meta_rank_(meta_rank), meta_size_(meta_size) {}

    LADDER_INLINE static constexpr unsigned size() { return Size; }
    LADDER_INLINE static constexpr unsigned num_threads() { return Size; }
    LADDER_INLINE static unsigned thread_rank() { return ladder::rank_in_block() % Size; }
    LADDER_INLINE unsigned meta_group_rank() const { return meta_rank_; }
    LADDER_INLINE unsigned meta_group_size() const { return meta_size_; }
    LADDER_INLINE void sync(LADDER_LINE) const { ladder_tile_sync(Size, line); }

    template <class T> LADDER_INLINE T shfl(T value, unsigned rank, LADDER_LINE) const {
        ladder::Bits* const word = ladder::tile_words<ladder::Bits>() + first_warp() + rank / 32;
        if (thread_rank() == rank) *word = bits(value);
        sync(line);
        const T result = ladder::from_bits<T>(*word);
        sync(line);
        return result;
    }
    LADDER_INLINE int any(int predicate, LADDER_LINE) const {
        return across_warps(__any_sync(ladder::all_lanes, predicate, line), ladder_lane() == 0,
                            [line](const Warps& warps, int of_warp) { return warps.any(of_warp, line); }, line);
    }
    LADDER_INLINE int all(int predicate, LADDER_LINE) const {
        return across_warps(__all_sync(ladder::all_lanes, predicate, line), ladder_lane() == 0,
                            [line](const Warps& warps, int of_warp) { return warps.all(of_warp, line); }, line);
    }

    // A lane of each warp tells its value; as many lanes of the first warp make of these what each warp gets.
    using Warps = tile_of_lanes<Size / 32>;
    template <class T, class Between>
    LADDER_INLINE T across_warps(T of_warp, bool tells, Between&& between, LADDER_LINE) const {
        ladder::Bits* const words = ladder::tile_words<ladder::Bits>() + first_warp();
        const unsigned warp = thread_rank() / 32, lane = static_cast<unsigned>(ladder_lane());
        if (tells) words[warp] = bits(of_warp);
        sync(line);
        if (warp == 0 && lane < Size / 32) words[lane] = bits(between(Warps(0, 1), ladder::from_bits<T>(words[lane])));
        sync(line);
        const T result = ladder::from_bits<T>(words[warp]);
        __syncwarp(ladder::all_lanes, line);
        return result;
    }

private:
    LADDER_INLINE static unsigned first_warp() { return ladder::rank_in_block() / Size * (Size / 32); }
    template <class T> LADDER_INLINE static ladder::Bits bits(T value) {
        static_assert(sizeof(T) <= 8, "tiles of more than 32 threads tell each other values of at most 8 bytes");
        return ladder::to_bits(value);
    }
    unsigned meta_rank_, meta_size_;
};

}  // namespace cooperative_groups

namespace ladder {

template <class Group, class = void> constexpr bool of_warps = false;
template <class Group> constexpr bool of_warps<Group, std::void_t<decltype(Group::ladder_of_warps)>> = true;

}  // namespace ladder
