// cub's reductions and scans of a block and of a warp, plainly: a thread's value goes through the shared memory that the
// caller gives, or through shuffles. As in cub, a barrier belongs between two uses of one TempStorage.
#pragma once

#include "cub_values.h"

namespace cub {

using Sum = thrust::plus<void>;
using Max = thrust::maximum<void>;
using Min = thrust::minimum<void>;

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE };

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1> class BlockReduce {
public:
    struct TempStorage { T values[X * Y * Z]; };
    LADDER_INLINE explicit BlockReduce(TempStorage& storage) : values_(storage.values) {}

    // The result is thread 0's.
    template <class F> LADDER_INLINE T Reduce(T mine, F f, int valid = X * Y * Z, LADDER_LINE) {
        const int rank = ladder_parts::rank();
        values_[rank] = mine;
        ladder_barrier(ladder::Barrier::Sync, 0, line);
        for (int i = 1; rank == 0 && i < valid; ++i) mine = f(mine, values_[i]);
        return mine;
    }
    template <int N, class F> LADDER_INLINE T Reduce(T (&mine)[N], F f, LADDER_LINE) {
        T all = mine[0];
        for (int i = 1; i < N; ++i) all = f(all, mine[i]);
        return Reduce(all, f, X * Y * Z, line);
    }
    LADDER_INLINE T Sum(T mine, int valid = X * Y * Z, LADDER_LINE) { return Reduce(mine, cub::Sum(), valid, line); }
    template <int N> LADDER_INLINE T Sum(T (&mine)[N], LADDER_LINE) { return Reduce(mine, cub::Sum(), line); }

private:
    T* values_;
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1> class BlockScan {
public:
    struct TempStorage { T values[X * Y * Z + 1]; };   // and what is before the block
    LADDER_INLINE explicit BlockScan(TempStorage& storage) : values_(storage.values) {}

    template <class F> LADDER_INLINE void InclusiveScan(T mine, T& result, F f, T& all) {
        scan(mine, f);
        result = values_[ladder_parts::rank()];
        all = values_[X * Y * Z - 1];
    }
    template <class F> LADDER_INLINE void InclusiveScan(T mine, T& result, F f) {
        scan(mine, f);
        result = values_[ladder_parts::rank()];
    }
    template <class F> LADDER_INLINE void ExclusiveScan(T mine, T& result, T start, F f, T& all) {
        scan(mine, f);
        const int rank = ladder_parts::rank();
        result = rank ? f(start, values_[rank - 1]) : start;
        all = values_[X * Y * Z - 1];
    }
    template <class F> LADDER_INLINE void ExclusiveScan(T mine, T& result, T start, F f) {
        T all;
        ExclusiveScan(mine, result, start, f, all);
    }
    LADDER_INLINE void InclusiveSum(T mine, T& result) { InclusiveScan(mine, result, cub::Sum()); }
    LADDER_INLINE void InclusiveSum(T mine, T& result, T& all) { InclusiveScan(mine, result, cub::Sum(), all); }
    LADDER_INLINE void ExclusiveSum(T mine, T& result) { ExclusiveScan(mine, result, T(), cub::Sum()); }
    LADDER_INLINE void ExclusiveSum(T mine, T& result, T& all) { ExclusiveScan(mine, result, T(), cub::Sum(), all); }
    // The first warp asks `before` what comes before the block, with the sum of the block; what its first lane hears counts.
    template <class F, class Before, LADDER_IF(!std::is_same_v<Before, T>)>
    LADDER_INLINE void InclusiveScan(T mine, T& result, F f, Before& before) {
        scan(mine, f);
        result = f(asked(before), values_[ladder_parts::rank()]);
    }
    template <class F, class Before, LADDER_IF(!std::is_same_v<Before, T>)>
    LADDER_INLINE void ExclusiveScan(T mine, T& result, F f, Before& before) {
        scan(mine, f);
        const int rank = ladder_parts::rank();
        const T start = asked(before);
        result = rank ? f(start, values_[rank - 1]) : start;
    }
    template <class Before, LADDER_IF(!std::is_same_v<Before, T>)> LADDER_INLINE void InclusiveSum(T mine, T& result, Before& before) {
        InclusiveScan(mine, result, cub::Sum(), before);
    }
    template <class Before, LADDER_IF(!std::is_same_v<Before, T>)> LADDER_INLINE void ExclusiveSum(T mine, T& result, Before& before) {
        ExclusiveScan(mine, result, cub::Sum(), before);
    }
    template <class F> LADDER_INLINE void ExclusiveScan(T mine, T& result, F f) {   // thread 0's result is left as it is
        scan(mine, f);
        if (const int rank = ladder_parts::rank()) result = values_[rank - 1];
    }
    // Of several elements of each thread, with the sum of the block in `all`, or with what comes before the block.
#define LADDER_SCANS(name, inclusive)                                                                                                       \
    template <int N, class F> LADDER_INLINE void name##Scan(T (&mine)[N], T (&result)[N], F f) {                                            \
        fold(mine, f);                                                                                                                      \
        spread(mine, result, f, nullptr, inclusive);                                                                                        \
    }                                                                                                                                       \
    template <int N, class F> LADDER_INLINE void name##Scan(T (&mine)[N], T (&result)[N], F f, T& all) {                                    \
        name##Scan(mine, result, f);                                                                                                        \
        all = values_[X * Y * Z - 1];                                                                                                       \
    }                                                                                                                                       \
    template <int N, class F> LADDER_INLINE void name##Scan(T (&mine)[N], T (&result)[N], T start, F f) {                                   \
        fold(mine, f);                                                                                                                      \
        spread(mine, result, f, &start, inclusive);                                                                                         \
    }                                                                                                                                       \
    template <int N, class F> LADDER_INLINE void name##Scan(T (&mine)[N], T (&result)[N], T start, F f, T& all) {                           \
        name##Scan(mine, result, start, f);                                                                                                 \
        all = values_[X * Y * Z - 1];                                                                                                       \
    }                                                                                                                                       \
    template <int N, class F, class Before, LADDER_IF(!std::is_same_v<Before, T>)>                                                          \
    LADDER_INLINE void name##Scan(T (&mine)[N], T (&result)[N], F f, Before& before) {                                                      \
        fold(mine, f);                                                                                                                      \
        const T start = asked(before);                                                                                                      \
        spread(mine, result, f, &start, inclusive);                                                                                         \
    }                                                                                                                                       \
    template <int N> LADDER_INLINE void name##Sum(T (&mine)[N], T (&result)[N]) { name##Scan(mine, result, T(), cub::Sum()); }              \
    template <int N> LADDER_INLINE void name##Sum(T (&mine)[N], T (&result)[N], T& all) { name##Scan(mine, result, T(), cub::Sum(), all); } \
    template <int N, class Before, LADDER_IF(!std::is_same_v<Before, T>)>                                                                   \
    LADDER_INLINE void name##Sum(T (&mine)[N], T (&result)[N], Before& before) {                                                            \
        name##Scan(mine, result, cub::Sum(), before);                                                                                       \
    }
    LADDER_SCANS(Inclusive, true) LADDER_SCANS(Exclusive, false)
#undef LADDER_SCANS

private:
    template <class F> LADDER_INLINE void scan(T mine, F f) {
        const int rank = ladder_parts::rank();
        values_[rank] = mine;
        ladder_barrier(ladder::Barrier::Sync, 0, 0);
        for (int i = 1; rank == 0 && i < X * Y * Z; ++i) values_[i] = f(values_[i - 1], values_[i]);
        ladder_barrier(ladder::Barrier::Sync, 0, 0);
    }
    template <class Before> LADDER_INLINE T asked(Before& before) {
        const int rank = ladder_parts::rank();
        if (rank < 32) {
            const T start = before(values_[X * Y * Z - 1]);
            if (rank == 0) values_[X * Y * Z] = start;
        }
        ladder_barrier(ladder::Barrier::Sync, 0, 0);
        return values_[X * Y * Z];
    }
    template <int N, class F> LADDER_INLINE void fold(T (&mine)[N], F f) {
        T all = mine[0];
        for (int i = 1; i < N; ++i) all = f(all, mine[i]);
        scan(all, f);
    }
    // What fold() has left of the other threads, and of `start`, before the thread's own elements.
    template <int N, class F> LADDER_INLINE void spread(T (&mine)[N], T (&result)[N], F f, const T* start, bool inclusive) {
        const int rank = ladder_parts::rank();
        bool any = start != nullptr;
        T run = any ? *start : mine[0];
        if (rank) run = any ? f(run, values_[rank - 1]) : values_[rank - 1], any = true;
        for (int i = 0; i < N; ++i) {
            const T next = any ? f(run, mine[i]) : mine[i];
            result[i] = inclusive ? next : run;
            run = next, any = true;
        }
    }
    T* values_;
};

// Of neighbouring lanes, by shuffles; the result is the first lane's.
template <class T, int Lanes = 32> class WarpReduce {
public:
    struct TempStorage {};
    LADDER_INLINE explicit WarpReduce(TempStorage&) {}
    template <class F> LADDER_INLINE T Reduce(T mine, F f, int valid = Lanes) {
        const int lane = static_cast<int>(ladder_parts::rank()) % Lanes;
        for (int step = 1; step < Lanes; step *= 2) {
            const T other = __shfl_down_sync(0xffffffffu, mine, static_cast<unsigned>(step), Lanes);
            if (lane + step < valid) mine = f(mine, other);
        }
        return mine;
    }
    LADDER_INLINE T Sum(T mine, int valid = Lanes) { return Reduce(mine, cub::Sum(), valid); }
};
template <class T, int Lanes = 32> class WarpScan {
public:
    struct TempStorage {};
    LADDER_INLINE explicit WarpScan(TempStorage&) {}
    template <class F> LADDER_INLINE void InclusiveScan(T mine, T& result, F f) {
        const int lane = static_cast<int>(ladder_parts::rank()) % Lanes;
        for (int step = 1; step < Lanes; step *= 2) {
            const T other = __shfl_up_sync(0xffffffffu, mine, static_cast<unsigned>(step), Lanes);
            if (lane >= step) mine = f(other, mine);
        }
        result = mine;
    }
    template <class F> LADDER_INLINE void InclusiveScan(T mine, T& result, F f, T& all) {
        InclusiveScan(mine, result, f);
        all = Broadcast(result, Lanes - 1);
    }
    // Without a start the first lane's result is left as it is.
    template <class F> LADDER_INLINE void ExclusiveScan(T mine, T& result, F f) {
        InclusiveScan(mine, mine, f);
        const T before = __shfl_up_sync(0xffffffffu, mine, 1, Lanes);
        if (static_cast<int>(ladder_parts::rank()) % Lanes) result = before;
    }
    template <class F> LADDER_INLINE void ExclusiveScan(T mine, T& result, T start, F f) {
        T before = start;
        ExclusiveScan(mine, before, f);
        result = static_cast<int>(ladder_parts::rank()) % Lanes ? f(start, before) : start;
    }
    template <class F> LADDER_INLINE void ExclusiveScan(T mine, T& result, T start, F f, T& all) {
        InclusiveScan(mine, result, f, all);
        ExclusiveScan(mine, result, start, f);
    }
    template <class F> LADDER_INLINE void Scan(T mine, T& inclusive, T& exclusive, F f) {
        InclusiveScan(mine, inclusive, f);
        ExclusiveScan(mine, exclusive, f);
    }
    LADDER_INLINE void InclusiveSum(T mine, T& result) { InclusiveScan(mine, result, cub::Sum()); }
    LADDER_INLINE void InclusiveSum(T mine, T& result, T& all) { InclusiveScan(mine, result, cub::Sum(), all); }
    LADDER_INLINE void ExclusiveSum(T mine, T& result) {
        T sum;
        InclusiveScan(mine, sum, cub::Sum());
        result = sum - mine;
    }
    LADDER_INLINE void ExclusiveSum(T mine, T& result, T& all) {
        InclusiveScan(mine, result, cub::Sum(), all);
        result = result - mine;
    }
    LADDER_INLINE T Broadcast(T mine, unsigned lane) { return __shfl_sync(0xffffffffu, mine, static_cast<int>(lane), Lanes); }
};

// By which a block brings its elements in order: each thread writes there, and after a barrier reads what another one has.
template <class T, int X> struct ladder_exchange {
    struct TempStorage { T values[X]; };
    T* values = nullptr;
    LADDER_INLINE void pass(const T& mine) {
        if (!values) return;
        const int rank = ladder_parts::rank();
        values[rank] = mine;
        ladder_barrier(ladder::Barrier::Sync, 0, 0);
        const T other = values[(rank + 1) % X];
        asm volatile("" : : "m"(other));
    }
};
template <class T, int X> struct ladder_no_exchange {
    struct TempStorage {};
    LADDER_INLINE void pass(const T&) {}
};

template <class T, int X, int N, BlockLoadAlgorithm how = BLOCK_LOAD_DIRECT> struct BlockLoad {
    using Exchange = std::conditional_t<how == BLOCK_LOAD_TRANSPOSE, ladder_exchange<T, X>, ladder_no_exchange<T, X>>;
    using TempStorage = typename Exchange::TempStorage;
    BlockLoad() = default;
    LADDER_INLINE explicit BlockLoad(TempStorage& storage) {
        if constexpr (how == BLOCK_LOAD_TRANSPOSE) exchange_.values = storage.values;
    }
    template <class It> LADDER_INLINE void Load(It from, T (&to)[N], int valid = X * N) {
        for (int i = 0; i < N; ++i) {
            const int at = ladder_parts::place<N, X>(i, how == BLOCK_LOAD_STRIPED);
            if (at < valid) to[i] = from[at];
        }
        exchange_.pass(to[0]);
    }
    template <class It> LADDER_INLINE void Load(It from, T (&to)[N], int valid, T otherwise) {
        for (int i = 0; i < N; ++i) to[i] = otherwise;
        Load(from, to, valid);
    }

private:
    Exchange exchange_;
};
template <class T, int X, int N, BlockStoreAlgorithm how = BLOCK_STORE_DIRECT> struct BlockStore {
    using Exchange = std::conditional_t<how == BLOCK_STORE_TRANSPOSE, ladder_exchange<T, X>, ladder_no_exchange<T, X>>;
    using TempStorage = typename Exchange::TempStorage;
    BlockStore() = default;
    LADDER_INLINE explicit BlockStore(TempStorage& storage) {
        if constexpr (how == BLOCK_STORE_TRANSPOSE) exchange_.values = storage.values;
    }
    template <class It> LADDER_INLINE void Store(It to, T (&from)[N], int valid = X * N) {
        exchange_.pass(from[0]);
        for (int i = 0; i < N; ++i) {
            const int at = ladder_parts::place<N, X>(i, how == BLOCK_STORE_STRIPED);
            if (at < valid) to[at] = from[i];
        }
    }

private:
    Exchange exchange_;
};

}  // namespace cub
