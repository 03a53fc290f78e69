// cub's block algorithms that count what there is of each kind, and that compare or subtract neighbours; and how the threads
// of a block load and store without a class.
#pragma once

#include "cub_sorts.h"

namespace cub {

struct Inequality {
    template <class A, class B> LADDER_INLINE bool operator()(const A& a, const B& b) const { return a != b; }
};

#define LADDER_DIRECT(name, head, at)                                                                                 \
    template <head int N, class It, class T> LADDER_INLINE void LoadDirect##name(int t, It from, T (&to)[N]) {        \
        for (int i = 0; i < N; ++i) to[i] = from[at];                                                                 \
    }                                                                                                                 \
    template <head int N, class It, class T> LADDER_INLINE void LoadDirect##name(int t, It from, T (&to)[N], int valid) { \
        for (int i = 0; i < N; ++i)                                                                                   \
            if (at < valid) to[i] = from[at];                                                                         \
    }                                                                                                                 \
    template <head int N, class It, class T, class Other>                                                             \
    LADDER_INLINE void LoadDirect##name(int t, It from, T (&to)[N], int valid, Other otherwise) {                     \
        for (int i = 0; i < N; ++i) to[i] = at < valid ? static_cast<T>(from[at]) : static_cast<T>(otherwise);        \
    }                                                                                                                 \
    template <head int N, class It, class T> LADDER_INLINE void StoreDirect##name(int t, It to, T (&from)[N]) {       \
        for (int i = 0; i < N; ++i) to[at] = from[i];                                                                 \
    }                                                                                                                 \
    template <head int N, class It, class T> LADDER_INLINE void StoreDirect##name(int t, It to, T (&from)[N], int valid) { \
        for (int i = 0; i < N; ++i)                                                                                   \
            if (at < valid) to[at] = from[i];                                                                         \
    }
#define LADDER_NOTHING
#define LADDER_OF_THREADS int threads,
LADDER_DIRECT(Blocked, LADDER_NOTHING, (t * N + i))
LADDER_DIRECT(Striped, LADDER_OF_THREADS, (t + i * threads))
LADDER_DIRECT(WarpStriped, LADDER_NOTHING, (t / 32 * 32 * N + t % 32 + i * 32))
#undef LADDER_NOTHING
#undef LADDER_OF_THREADS
#undef LADDER_DIRECT

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int N, int bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1> class BlockHistogram {
public:
    struct TempStorage { int begun; };
    LADDER_INLINE explicit BlockHistogram(TempStorage&) {}

    template <class Counter> LADDER_INLINE void InitHistogram(Counter (&histogram)[bins]) {
        for (int bin = ladder_parts::rank(); bin < bins; bin += X * Y * Z) histogram[bin] = 0;
    }
    template <class Counter> LADDER_INLINE void Histogram(T (&items)[N], Counter (&histogram)[bins]) {
        InitHistogram(histogram);
        ladder_barrier(ladder::Barrier::Sync, 0, 0);
        Composite(items, histogram);
    }
    template <class Counter> LADDER_INLINE void Composite(T (&items)[N], Counter (&histogram)[bins]) {
        for (int i = 0; i < N; ++i) atomicAdd(histogram + items[i], 1);
    }
};

namespace ladder_parts {

// `is(a, b)`, or `is(a, b, place)` of b in the block.
template <class Is, class T> LADDER_INLINE bool differ(Is is, const T& a, const T& b, int place) {
    if constexpr (std::is_invocable_v<Is, T, T, int>) return is(a, b, place);
    else return is(a, b);
}

// The first and the last element of each thread, for its neighbours.
template <class T, int threads> struct Ends {
    T first[threads], last[threads];
    template <int N> LADDER_INLINE void show(T (&items)[N]) {
        first[rank()] = items[0], last[rank()] = items[N - 1];
        ladder_barrier(ladder::Barrier::Sync, 0, 0);
    }
};

}  // namespace ladder_parts

template <class T, int X, int Y = 1, int Z = 1> class BlockDiscontinuity {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = ladder_parts::Ends<T, threads>;
    LADDER_INLINE explicit BlockDiscontinuity(TempStorage& storage) : ends_(storage) {}

    template <int N, class Flag, class Is> LADDER_INLINE void FlagHeads(Flag (&heads)[N], T (&items)[N], Is is) {
        ends_.show(items);
        mark_heads(heads, items, is, static_cast<const T*>(nullptr));
    }
    template <int N, class Flag, class Is> LADDER_INLINE void FlagHeads(Flag (&heads)[N], T (&items)[N], Is is, T before) {
        ends_.show(items);
        mark_heads(heads, items, is, &before);
    }
    template <int N, class Flag, class Is> LADDER_INLINE void FlagTails(Flag (&tails)[N], T (&items)[N], Is is) {
        ends_.show(items);
        mark_tails(tails, items, is, static_cast<const T*>(nullptr));
    }
    template <int N, class Flag, class Is> LADDER_INLINE void FlagTails(Flag (&tails)[N], T (&items)[N], Is is, T behind) {
        ends_.show(items);
        mark_tails(tails, items, is, &behind);
    }
    template <int N, class Flag, class Is> LADDER_INLINE void FlagHeadsAndTails(Flag (&heads)[N], Flag (&tails)[N], T (&items)[N], Is is) {
        FlagHeads(heads, items, is);
        mark_tails(tails, items, is, static_cast<const T*>(nullptr));
    }

private:
    template <int N, class Flag, class Is> LADDER_INLINE void mark_heads(Flag (&heads)[N], T (&items)[N], Is is, const T* before) {
        const int rank = ladder_parts::rank();
        for (int i = 0; i < N; ++i) {
            if (i || rank) heads[i] = ladder_parts::differ(is, i ? items[i - 1] : T(ends_.last[rank - 1]), items[i], rank * N + i);
            else heads[i] = !before || ladder_parts::differ(is, *before, items[i], 0);
        }
    }
    template <int N, class Flag, class Is> LADDER_INLINE void mark_tails(Flag (&tails)[N], T (&items)[N], Is is, const T* behind) {
        const int rank = ladder_parts::rank();
        for (int i = 0; i < N; ++i) {
            const bool inside = i + 1 < N, is_last = !inside && rank + 1 == threads;
            if (!is_last) tails[i] = ladder_parts::differ(is, items[i], inside ? items[i + 1] : T(ends_.first[rank + 1]), rank * N + i + 1);
            else tails[i] = !behind || ladder_parts::differ(is, items[i], *behind, rank * N + i + 1);
        }
    }
    TempStorage& ends_;
};

template <class T, int X, int Y = 1, int Z = 1> class BlockAdjacentDifference {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = ladder_parts::Ends<T, threads>;
    LADDER_INLINE explicit BlockAdjacentDifference(TempStorage& storage) : ends_(storage) {}

    // The first element of all stays as it is, unless it is told what comes before.
    template <int N, class Out, class F> LADDER_INLINE void SubtractLeft(T (&items)[N], Out (&out)[N], F f) {
        ends_.show(items);
        left(items, out, f, static_cast<const T*>(nullptr));
    }
    template <int N, class Out, class F> LADDER_INLINE void SubtractLeft(T (&items)[N], Out (&out)[N], F f, T before) {
        ends_.show(items);
        left(items, out, f, &before);
    }
    template <int N, class Out, class F> LADDER_INLINE void SubtractRight(T (&items)[N], Out (&out)[N], F f) {
        ends_.show(items);
        const int rank = ladder_parts::rank();
        for (int i = 0; i < N; ++i) {
            if (i + 1 < N) out[i] = f(items[i], items[i + 1]);
            else out[i] = rank + 1 < threads ? f(items[i], T(ends_.first[rank + 1])) : items[i];
        }
    }

private:
    template <int N, class Out, class F> LADDER_INLINE void left(T (&items)[N], Out (&out)[N], F f, const T* before) {
        const int rank = ladder_parts::rank();
        for (int i = N - 1; i > 0; --i) out[i] = f(items[i], items[i - 1]);
        out[0] = rank ? f(items[0], T(ends_.last[rank - 1])) : before ? f(items[0], *before) : items[0];
    }
    TempStorage& ends_;
};

}  // namespace cub
