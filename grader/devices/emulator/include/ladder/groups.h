// cooperative_groups: handles for the grid, the block, tiles of a warp and the lanes that happen to run together.
//
// Below the block every group is a set of lanes of one warp, so all its operations are warp operations with a mask.
#pragma once

#include "block.h"
#include "clusters.h"
#include "integer.h"
#include "warp.h"

namespace ladder {

LADDER_INLINE unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
LADDER_INLINE unsigned threads_in_block() { return blockDim.x * blockDim.y * blockDim.z; }
LADDER_INLINE unsigned lane_bit() { return 1u << ladder_lane(); }

// A shuffle of any trivially copyable type: up to 8 bytes at once, larger ones in words of 4.
template <class T> LADDER_INLINE T shuffle_any(Warp how, unsigned mask, T value, int argument, int width, int line) {
    if constexpr (sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0) {
        return shuffle(how, mask, value, argument, width, line);
    } else {
        static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= 32, "a group shuffles types of 1, 2, 4, 8, 12 ... 32 bytes");
        struct Words { unsigned word[sizeof(T) / 4]; };
        Words words = __builtin_bit_cast(Words, value);
        for (unsigned& word : words.word) word = shuffle(how, mask, word, argument, width, line);
        return __builtin_bit_cast(T, words);
    }
}

}  // namespace ladder

namespace cooperative_groups {

// ---- any group: what its size and rank are, and how to wait for it ----

class thread_group {
public:
    enum class Kind { Lanes, Block, Cluster, Grid };

    LADDER_INLINE thread_group(Kind kind, unsigned lanes) : kind_(kind), lanes_(lanes) {}
    LADDER_INLINE unsigned long long size() const {
        return kind_ == Kind::Lanes ? static_cast<unsigned>(__popc(lanes_)) : ladder::threads_in_block() * blocks();
    }
    LADDER_INLINE unsigned long long num_threads() const { return size(); }
    LADDER_INLINE unsigned long long thread_rank() const {
        if (kind_ == Kind::Lanes) return static_cast<unsigned>(__popc(lanes_ & (ladder::lane_bit() - 1)));
        const unsigned long long block =
            kind_ == Kind::Grid ? (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x
            : kind_ == Kind::Cluster ? __clusterRelativeBlockRank() : 0;
        return block * ladder::threads_in_block() + ladder::rank_in_block();
    }
    LADDER_INLINE void sync(LADDER_LINE) const {
        if (kind_ == Kind::Lanes) __syncwarp(lanes_, line);
        else if (kind_ == Kind::Block) ladder_barrier(ladder::Barrier::Sync, 0, line);
        else if (kind_ == Kind::Cluster) ladder_cluster_sync(line);
        else ladder_grid_sync(line);
    }

    LADDER_INLINE unsigned ladder_lanes() const { return kind_ == Kind::Lanes ? lanes_ : 0; }

protected:
    LADDER_INLINE unsigned long long blocks() const {
        if (kind_ == Kind::Cluster) return __clusterSizeInBlocks();
        return kind_ == Kind::Grid ? static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z : 1;
    }
    Kind kind_;
    unsigned lanes_;   // of the warp, where the group is a set of them
};

// ---- the grid ----

class grid_group : public thread_group {
public:
    LADDER_INLINE grid_group() : thread_group(Kind::Grid, 0) {}
    LADDER_INLINE bool is_valid() const { return ladder_grid_is_cooperative(); }
    LADDER_INLINE void sync(LADDER_LINE) const { ladder_grid_sync(line); }
    // All is done by the wait, as CUDA does it for a block.
    using arrival_token = unsigned;
    LADDER_INLINE arrival_token barrier_arrive() const { return 0; }
    LADDER_INLINE void barrier_wait(arrival_token&&, LADDER_LINE) const { ladder_grid_sync(line); }
    LADDER_INLINE static unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    LADDER_INLINE static unsigned long long block_rank() {
        return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    LADDER_INLINE static unsigned long long num_threads() { return num_blocks() * ladder::threads_in_block(); }
    LADDER_INLINE static unsigned long long size() { return num_threads(); }
    LADDER_INLINE static unsigned long long thread_rank() {
        return block_rank() * ladder::threads_in_block() + ladder::rank_in_block();
    }
    LADDER_INLINE static dim3 group_dim() { return gridDim; }
    LADDER_INLINE static dim3 dim_blocks() { return gridDim; }
    LADDER_INLINE static dim3 dim_threads() {
        return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z};
    }
    LADDER_INLINE static dim3 block_index() { return blockIdx; }
    LADDER_INLINE static dim3 thread_index() {
        return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z};
    }
};

// ---- the block ----

class thread_block : public thread_group {
public:
    LADDER_INLINE thread_block() : thread_group(Kind::Block, 0) {}
    LADDER_INLINE static void sync(LADDER_LINE) { ladder_barrier(ladder::Barrier::Sync, 0, line); }
    struct arrival_token {};
    LADDER_INLINE arrival_token barrier_arrive() const { return {}; }
    LADDER_INLINE void barrier_wait(arrival_token&&, LADDER_LINE) const { sync(line); }
    LADDER_INLINE static unsigned size() { return ladder::threads_in_block(); }
    LADDER_INLINE static unsigned num_threads() { return ladder::threads_in_block(); }
    LADDER_INLINE static unsigned thread_rank() { return ladder::rank_in_block(); }
    LADDER_INLINE static dim3 group_index() { return blockIdx; }
    LADDER_INLINE static dim3 thread_index() { return threadIdx; }
    LADDER_INLINE static dim3 group_dim() { return blockDim; }
    LADDER_INLINE static dim3 dim_threads() { return blockDim; }
};

// ---- the cluster: several blocks, or this one alone where the launch names none ----

class cluster_group : public thread_group {
    friend cluster_group this_cluster();
    LADDER_INLINE cluster_group() : thread_group(Kind::Cluster, 0) {}

public:
    LADDER_INLINE static void sync(LADDER_LINE) { ladder_cluster_sync(line); }
    struct arrival_token {};
    LADDER_INLINE static arrival_token barrier_arrive(LADDER_LINE) {
        ladder_cluster_arrive(line);
        return {};
    }
    LADDER_INLINE static void barrier_wait(LADDER_LINE) { ladder_cluster_wait(line); }
    LADDER_INLINE static void barrier_wait(arrival_token&&, LADDER_LINE) { ladder_cluster_wait(line); }
    LADDER_INLINE static unsigned query_shared_rank(const void* address) { return ladder_shared_rank(address); }
    template <class T> LADDER_INLINE static T* map_shared_rank(T* address, int rank, LADDER_LINE) {
        return static_cast<T*>(ladder_map_shared(address, static_cast<unsigned>(rank), line));
    }
    LADDER_INLINE static dim3 dim_blocks() { return __clusterDim(); }
    LADDER_INLINE static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    LADDER_INLINE static unsigned num_blocks() { return __clusterSizeInBlocks(); }
    LADDER_INLINE static unsigned block_rank() { return __clusterRelativeBlockRank(); }
    LADDER_INLINE static dim3 dim_threads() {
        const dim3 size = dim_blocks();
        return {size.x * blockDim.x, size.y * blockDim.y, size.z * blockDim.z};
    }
    LADDER_INLINE static dim3 thread_index() {
        const dim3 at = block_index();
        return {at.x * blockDim.x + threadIdx.x, at.y * blockDim.y + threadIdx.y, at.z * blockDim.z + threadIdx.z};
    }
    LADDER_INLINE static unsigned num_threads() { return num_blocks() * ladder::threads_in_block(); }
    LADDER_INLINE static unsigned size() { return num_threads(); }
    LADDER_INLINE static unsigned thread_rank() { return block_rank() * ladder::threads_in_block() + ladder::rank_in_block(); }
};

// ---- lanes of a warp that happen to run together, or were picked ----

class coalesced_group : public thread_group {
public:
    LADDER_INLINE explicit coalesced_group(unsigned lanes, unsigned meta_rank = 0, unsigned meta_size = 1)
        : thread_group(Kind::Lanes, lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}
    LADDER_INLINE unsigned size() const { return static_cast<unsigned>(__popc(lanes_)); }
    LADDER_INLINE unsigned num_threads() const { return size(); }
    LADDER_INLINE unsigned thread_rank() const { return rank_of(ladder_lane()); }
    LADDER_INLINE unsigned meta_group_rank() const { return meta_rank_; }
    LADDER_INLINE unsigned meta_group_size() const { return meta_size_; }
    LADDER_INLINE void sync(LADDER_LINE) const { __syncwarp(lanes_, line); }

    template <class T> LADDER_INLINE T shfl(T value, unsigned rank, LADDER_LINE) const {
        // A rank that no thread has leads to lane 31.
        const unsigned lane = lanes_ == ~0u ? rank : __fns(lanes_, 0, static_cast<int>(rank) + 1);
        return ladder::shuffle_any(ladder::Warp::ShuffleIndex, lanes_, value, static_cast<int>(lane), warpSize, line);
    }
    template <class T> LADDER_INLINE T shfl_up(T value, unsigned delta, LADDER_LINE) const {
        return from_lane(value, __fns(lanes_, static_cast<unsigned>(ladder_lane()), -static_cast<int>(delta) - 1),
                         line);
    }
    template <class T> LADDER_INLINE T shfl_down(T value, unsigned delta, LADDER_LINE) const {
        return from_lane(value, __fns(lanes_, static_cast<unsigned>(ladder_lane()), static_cast<int>(delta) + 1), line);
    }
    LADDER_INLINE int any(int predicate, LADDER_LINE) const {
        return __any_sync(lanes_, predicate, line);
    }
    LADDER_INLINE int all(int predicate, LADDER_LINE) const {
        return __all_sync(lanes_, predicate, line);
    }
    LADDER_INLINE unsigned ballot(int predicate, LADDER_LINE) const {
        return packed(lanes_, __ballot_sync(lanes_, predicate, line));
    }
    template <class T> LADDER_INLINE unsigned match_any(T value, LADDER_LINE) const {
        return packed(lanes_, __match_any_sync(lanes_, value, line));
    }
    template <class T> LADDER_INLINE unsigned match_all(T value, int& equal, LADDER_LINE) const {
        return packed(lanes_, __match_all_sync(lanes_, value, &equal, line));
    }

private:
    LADDER_INLINE unsigned rank_of(int lane) const {
        return static_cast<unsigned>(__popc(lanes_ & ((1u << lane) - 1)));
    }
    // Where there is no such lane, a thread keeps its own value.
    template <class T> LADDER_INLINE T from_lane(T value, unsigned lane, int line) const {
        const int source = lane < 32 ? static_cast<int>(lane) : ladder_lane();
        return ladder::shuffle_any(ladder::Warp::ShuffleIndex, lanes_, value, source, warpSize, line);
    }
    // Bits of the group's lanes, moved together: bit i belongs to the thread of rank i.
    static inline LADDER_UNSEEN unsigned packed(unsigned lanes, unsigned bits) {
        unsigned result = 0;
        for (int rank = 0; lanes; lanes &= lanes - 1, ++rank) result |= (bits >> __builtin_ctz(lanes) & 1) << rank;
        return result;
    }
    unsigned meta_rank_, meta_size_;
};

// ---- tiles: a block, cut into equal parts whose size is known to the compiler. This one: a warp, or a part of it ----

template <unsigned Size> class tile_of_lanes : public thread_group {
public:
    LADDER_INLINE tile_of_lanes(unsigned meta_rank, unsigned meta_size)
        : thread_group(Kind::Lanes, own_lanes()), meta_rank_(meta_rank), meta_size_(meta_size) {}

    LADDER_INLINE static constexpr unsigned size() { return Size; }
    LADDER_INLINE static constexpr unsigned num_threads() { return Size; }
    LADDER_INLINE static unsigned thread_rank() { return static_cast<unsigned>(ladder_lane()) % Size; }
    LADDER_INLINE unsigned meta_group_rank() const { return meta_rank_; }
    LADDER_INLINE unsigned meta_group_size() const { return meta_size_; }
    LADDER_INLINE void sync(LADDER_LINE) const { __syncwarp(own_lanes(), line); }

    template <class T> LADDER_INLINE T shfl(T value, int rank, LADDER_LINE) const {
        return ladder::shuffle_any(ladder::Warp::ShuffleIndex, own_lanes(), value, rank, Size, line);
    }
    template <class T> LADDER_INLINE T shfl_up(T value, unsigned delta, LADDER_LINE) const {
        return ladder::shuffle_any(ladder::Warp::ShuffleUp, own_lanes(), value, static_cast<int>(delta), Size, line);
    }
    template <class T> LADDER_INLINE T shfl_down(T value, unsigned delta, LADDER_LINE) const {
        return ladder::shuffle_any(ladder::Warp::ShuffleDown, own_lanes(), value, static_cast<int>(delta), Size, line);
    }
    template <class T> LADDER_INLINE T shfl_xor(T value, unsigned mask, LADDER_LINE) const {
        return ladder::shuffle_any(ladder::Warp::ShuffleXor, own_lanes(), value, static_cast<int>(mask), Size, line);
    }
    LADDER_INLINE int any(int predicate, LADDER_LINE) const {
        return __any_sync(own_lanes(), predicate, line);
    }
    LADDER_INLINE int all(int predicate, LADDER_LINE) const {
        return __all_sync(own_lanes(), predicate, line);
    }
    LADDER_INLINE unsigned ballot(int predicate, LADDER_LINE) const {
        return __ballot_sync(own_lanes(), predicate, line) >> first_lane();
    }
    template <class T> LADDER_INLINE unsigned match_any(T value, LADDER_LINE) const {
        return __match_any_sync(own_lanes(), value, line) >> first_lane();
    }
    template <class T> LADDER_INLINE unsigned match_all(T value, int& equal, LADDER_LINE) const {
        return __match_all_sync(own_lanes(), value, &equal, line) >> first_lane();
    }
    LADDER_INLINE unsigned ladder_lanes() const { return own_lanes(); }

private:
    LADDER_INLINE static unsigned first_lane() { return static_cast<unsigned>(ladder_lane()) / Size * Size; }
    LADDER_INLINE static unsigned own_lanes() {
        return Size == 32 ? ladder::all_lanes : ((1u << Size % 32) - 1) << first_lane();
    }
    unsigned meta_rank_, meta_size_;
};

}  // namespace cooperative_groups

#include "large_tiles.h"

namespace cooperative_groups {

template <unsigned Size, class Parent = void>
class thread_block_tile : public std::conditional_t<(Size <= 32), tile_of_lanes<Size>, tile_of_warps<Size>> {
    static_assert(Size >= 1 && Size <= 1024 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8 ... 1024 threads");

public:
    using std::conditional_t<(Size <= 32), tile_of_lanes<Size>, tile_of_warps<Size>>::conditional_t;
    template <class Whole = Parent, LADDER_IF(!std::is_void_v<Whole>)>
    LADDER_INLINE operator thread_block_tile<Size, void>() const {
        return {this->meta_group_rank(), this->meta_group_size()};
    }
};

// ---- how groups come about ----

// On GPUs before compute capability 8.0 large tiles need this memory; later ones have their own, and so have we.
template <unsigned Threads = 1024> struct __align__(8) block_tile_memory {};

LADDER_INLINE thread_block this_thread_block() { return {}; }
template <unsigned Threads> LADDER_INLINE thread_block this_thread_block(block_tile_memory<Threads>&) { return {}; }
LADDER_INLINE thread_block_tile<1> this_thread() { return {0, 1}; }
LADDER_INLINE grid_group this_grid() { return {}; }
LADDER_INLINE cluster_group this_cluster() { return {}; }
LADDER_INLINE coalesced_group coalesced_threads(LADDER_LINE) {
    return coalesced_group(__activemask(line));
}

template <unsigned Size> LADDER_INLINE thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
    return {ladder::rank_in_block() / Size, (ladder::threads_in_block() + Size - 1) / Size};
}
template <unsigned Size, unsigned Outer, class Parent>
LADDER_INLINE thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(
    const thread_block_tile<Outer, Parent>& parent) {
    static_assert(Size < Outer, "a tile must be smaller than the one it is cut from");
    return {parent.thread_rank() / Size, Outer / Size};
}

// The tile's size known only at run time: CUDA's own header stops at another one, too.
LADDER_INLINE void ladder_tile_of(unsigned size, int line) {
    if (size == 0 || size > 32 || (size & (size - 1)) != 0) ladder_trap("tiled_partition makes tiles of 1, 2, 4, 8, 16 or 32 threads", line);
}
LADDER_INLINE coalesced_group tiled_partition(const coalesced_group& parent, unsigned size, LADDER_LINE) {
    ladder_tile_of(size, line);
    if (parent.size() <= size) return parent;
    const unsigned first = parent.thread_rank() / size * size;
    unsigned lanes = 0;
    for (unsigned rank = first; rank < first + size && rank < parent.size(); ++rank)
        lanes |= 1u << __fns(parent.ladder_lanes(), 0, static_cast<int>(rank) + 1);
    return coalesced_group(lanes, parent.thread_rank() / size, (parent.size() + size - 1) / size);
}
LADDER_INLINE thread_group tiled_partition(const thread_group& parent, unsigned size, LADDER_LINE) {
    ladder_tile_of(size, line);
    if (parent.ladder_lanes()) return tiled_partition(coalesced_group(parent.ladder_lanes()), size, line);
    const unsigned lane = static_cast<unsigned>(ladder_lane()) / size * size;
    const unsigned behind = ladder::threads_in_block() - ladder::rank_in_block() / size * size;   // the last may be smaller
    const unsigned threads = behind < size ? behind : size;
    return {thread_group::Kind::Lanes, (threads == 32 ? ladder::all_lanes : (1u << threads) - 1) << lane};
}

// The threads of a group that have the same label, or the same answer. Groups are numbered by their first threads.
template <class Group>
LADDER_INLINE coalesced_group binary_partition(const Group& group, bool predicate, LADDER_LINE) {
    const unsigned all = group.ladder_lanes(), yes = __ballot_sync(all, predicate, line);
    if (yes == 0 || yes == all) return coalesced_group(all);
    return coalesced_group(predicate ? yes : all & ~yes, predicate, 2);
}
template <class Group, class T>
LADDER_INLINE coalesced_group labeled_partition(const Group& group, T label, LADDER_LINE) {
    static_assert(std::is_integral_v<T> || std::is_pointer_v<T>, "labels are whole numbers or pointers");
    if constexpr (std::is_same_v<T, bool>) return binary_partition(group, label, line);
    else if constexpr (std::is_pointer_v<T>) return labeled_partition(group, reinterpret_cast<unsigned long long>(label), line);
    else {
        const unsigned all = group.ladder_lanes(), own = __match_any_sync(all, label, line), first = own & -own;
        const unsigned firsts = __ballot_sync(all, first == ladder::lane_bit(), line);
        return coalesced_group(own, __popc(firsts & (first - 1)), __popc(firsts));
    }
}

template <class Group> LADDER_INLINE void sync(const Group& group, LADDER_LINE) { group.sync(line); }
template <class Group> LADDER_INLINE auto thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> LADDER_INLINE auto group_size(const Group& group) { return group.size(); }
template <class Group, class F, class... Arguments>
LADDER_INLINE void invoke_one(const Group& group, F&& f, Arguments&&... arguments) {
    if (group.thread_rank() == 0) static_cast<F&&>(f)(static_cast<Arguments&&>(arguments)...);
}
// All threads get the one's answer.
template <class Group, class F, class... Arguments>
LADDER_INLINE auto invoke_one_broadcast(const Group& group, F&& f, Arguments&&... arguments) {
    std::remove_cv_t<std::remove_reference_t<decltype(f(arguments...))>> answer{};
    if (group.thread_rank() == 0) answer = static_cast<F&&>(f)(static_cast<Arguments&&>(arguments)...);
    return group.shfl(answer, 0);
}

}  // namespace cooperative_groups
