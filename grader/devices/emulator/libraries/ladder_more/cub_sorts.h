// cub's sorts and exchanges of a block. A sort's order is found by thread 0, as it stays the same for equal keys.
#pragma once

#include "cub_device.h"

namespace cub {

struct NullType {};
enum RadixSortOrder { RADIX_SORT_ASCENDING, RADIX_SORT_DESCENDING };

template <class T, int X, int N, bool = false, int Y = 1, int Z = 1> class BlockExchange {
    static constexpr int threads = X * Y * Z;

public:
    struct TempStorage { T values[threads * N]; };
    LADDER_INLINE explicit BlockExchange(TempStorage& storage) : values_(storage.values) {}

    LADDER_INLINE void BlockedToStriped(const T (&in)[N], T (&out)[N]) { moved(in, out, false, true); }
    LADDER_INLINE void BlockedToStriped(T (&mine)[N]) { moved(mine, mine, false, true); }
    LADDER_INLINE void StripedToBlocked(const T (&in)[N], T (&out)[N]) { moved(in, out, true, false); }
    LADDER_INLINE void StripedToBlocked(T (&mine)[N]) { moved(mine, mine, true, false); }
    template <class Rank> LADDER_INLINE void ScatterToBlocked(T (&mine)[N], const Rank (&ranks)[N]) { scattered(mine, ranks, false); }
    template <class Rank> LADDER_INLINE void ScatterToStriped(T (&mine)[N], const Rank (&ranks)[N]) { scattered(mine, ranks, true); }

private:
    LADDER_INLINE void moved(const T (&in)[N], T (&out)[N], bool from, bool to) {
        for (int i = 0; i < N; ++i) values_[ladder_parts::place<N, threads>(i, from)] = in[i];
        ladder_barrier(ladder::Barrier::Sync, 0, 0);
        for (int i = 0; i < N; ++i) out[i] = values_[ladder_parts::place<N, threads>(i, to)];
    }
    template <class Rank> LADDER_INLINE void scattered(T (&mine)[N], const Rank (&ranks)[N], bool to) {
        for (int i = 0; i < N; ++i) values_[ranks[i]] = mine[i];
        ladder_barrier(ladder::Barrier::Sync, 0, 0);
        for (int i = 0; i < N; ++i) mine[i] = values_[ladder_parts::place<N, threads>(i, to)];
    }
    T* values_;
};

namespace ladder_parts {

// The keys' order, once the threads of the block have stored them: stable.
template <class Kept, class Less> LADDER_INLINE void merge_runs(Kept& kept, int all, int run, Less less) {
    using Key = std::remove_reference_t<decltype(kept.keys[0])>;
    for (int first = 0; first < all; first += 2 * run) {
        const int middle = first + run < all ? first + run : all, last = first + 2 * run < all ? first + 2 * run : all;
        for (int i = first, j = middle, to = first; to < last; ++to) {
            const bool second = i == middle || (j < last && less(Key(kept.keys[kept.order[j]]), Key(kept.keys[kept.order[i]])));
            kept.merged[to] = kept.order[second ? j++ : i++];
        }
    }
    for (int i = 0; i < all; ++i) kept.order[i] = kept.merged[i];
}
template <int size, class Kept, class Less> LADDER_INLINE void sort_block(Kept& kept, int all, Less less) {
    ladder_barrier(ladder::Barrier::Sync, 0, 0);
    if (rank() == 0) {
        for (int i = 0; i < size; ++i) kept.order[i] = static_cast<unsigned short>(i);
        for (int run = 1; run < all; run *= 2) merge_runs(kept, all, run, less);
    }
    ladder_barrier(ladder::Barrier::Sync, 0, 0);
}

}  // namespace ladder_parts

template <class Key, int X, int N, class Value = NullType, int = 4, bool = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig = cudaSharedMemBankSizeFourByte, int Y = 1, int Z = 1>
class BlockRadixSort {
    static constexpr int threads = X * Y * Z, all = threads * N;

public:
    struct TempStorage {
        Key keys[all];
        Value values[std::is_same_v<Value, NullType> ? 1 : all];
        unsigned short order[all], merged[all];
    };
    LADDER_INLINE explicit BlockRadixSort(TempStorage& storage) : kept_(storage) {}

#define LADDER_SORT(name, down, striped)                                                                            \
    LADDER_INLINE void name(Key (&keys)[N], int begin = 0, int end = 8 * sizeof(Key)) {                             \
        sort(keys, {begin, end, down});                                                                             \
        for (int i = 0; i < N; ++i) keys[i] = kept_.keys[kept_.order[ladder_parts::place<N, threads>(i, striped)]]; \
    }                                                                                                               \
    LADDER_INLINE void name(Key (&keys)[N], Value (&values)[N], int begin = 0, int end = 8 * sizeof(Key)) {         \
        for (int i = 0; i < N; ++i) kept_.values[ladder_parts::place<N, threads>(i, false)] = values[i];            \
        sort(keys, {begin, end, down});                                                                             \
        for (int i = 0; i < N; ++i) {                                                                               \
            const int from = kept_.order[ladder_parts::place<N, threads>(i, striped)];                              \
            keys[i] = kept_.keys[from], values[i] = kept_.values[from];                                             \
        }                                                                                                           \
    }
    LADDER_SORT(Sort, false, false) LADDER_SORT(SortDescending, true, false)
    LADDER_SORT(SortBlockedToStriped, false, true) LADDER_SORT(SortDescendingBlockedToStriped, true, true)
#undef LADDER_SORT

private:
    LADDER_INLINE void sort(Key (&keys)[N], ladder_parts::Order order) {
        for (int i = 0; i < N; ++i) kept_.keys[ladder_parts::place<N, threads>(i, false)] = keys[i];
        ladder_parts::sort_block<all>(kept_, all, order);
    }
    TempStorage& kept_;
};

// By any order. With so many valid items, those behind them keep their places.
template <class Key, int X, int N, class Value = NullType, int Y = 1, int Z = 1> class BlockMergeSort {
    static constexpr int threads = X * Y * Z, size = threads * N;

public:
    struct TempStorage {
        Key keys[size];
        Value values[std::is_same_v<Value, NullType> ? 1 : size];
        unsigned short order[size], merged[size];
    };
    LADDER_INLINE explicit BlockMergeSort(TempStorage& storage) : kept_(storage) {}

    template <class Less> LADDER_INLINE void Sort(Key (&keys)[N], Less less) { sort(keys, less, size); }
    template <class Less> LADDER_INLINE void Sort(Key (&keys)[N], Less less, int valid, Key) { sort(keys, less, valid); }
    template <class Less> LADDER_INLINE void Sort(Key (&keys)[N], Value (&values)[N], Less less) { sort(keys, values, less, size); }
    template <class Less> LADDER_INLINE void Sort(Key (&keys)[N], Value (&values)[N], Less less, int valid, Key) { sort(keys, values, less, valid); }
    template <class... A> LADDER_INLINE void StableSort(Key (&keys)[N], A&&... arguments) { Sort(keys, static_cast<A&&>(arguments)...); }

private:
    template <class Less> LADDER_INLINE void sort(Key (&keys)[N], Less less, int valid) {
        for (int i = 0; i < N; ++i) kept_.keys[place(i)] = keys[i];
        ladder_parts::sort_block<size>(kept_, valid, less);
        for (int i = 0; i < N; ++i) keys[i] = kept_.keys[kept_.order[place(i)]];
    }
    template <class Less> LADDER_INLINE void sort(Key (&keys)[N], Value (&values)[N], Less less, int valid) {
        for (int i = 0; i < N; ++i) kept_.values[place(i)] = values[i];
        sort(keys, less, valid);
        for (int i = 0; i < N; ++i) values[i] = kept_.values[kept_.order[place(i)]];
    }
    LADDER_INLINE static int place(int i) { return ladder_parts::place<N, threads>(i, false); }
    TempStorage& kept_;
};

}  // namespace cub
