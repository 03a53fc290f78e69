// What cub's algorithms take and give besides numbers, and its shuffles of any type.
#pragma once

#include <cuda/functional>

#include "thrust_iterators.h"

namespace cub {

namespace ladder_parts {

LADDER_INLINE int rank() { return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)); }

// Where the thread's i-th element of N is among the block's: "blocked", t * N + i; "striped", i * threads + t.
template <int N, int threads> LADDER_INLINE int place(int i, bool striped) { return striped ? i * threads + rank() : rank() * N + i; }

}  // namespace ladder_parts

template <class Key_, class Value_> struct KeyValuePair {
    using Key = Key_;
    using Value = Value_;
    Key key;
    Value value;
    KeyValuePair() = default;
    LADDER_INLINE KeyValuePair(const Key& key, const Value& value) : key(key), value(value) {}
    LADDER_INLINE bool operator!=(const KeyValuePair& other) const { return value != other.value || key != other.key; }
};

// Of two equal values that with the smaller index.
#define LADDER_ARG(name, sign)                                                                                    \
    struct name {                                                                                                 \
        template <class T, class I>                                                                               \
        LADDER_INLINE KeyValuePair<I, T> operator()(const KeyValuePair<I, T>& a, const KeyValuePair<I, T>& b) const { \
            return b.value sign a.value || (a.value == b.value && b.key < a.key) ? b : a;                         \
        }                                                                                                         \
    };
LADDER_ARG(ArgMax, >)
LADDER_ARG(ArgMin, <)
#undef LADDER_ARG

template <class T> struct DoubleBuffer {
    T* d_buffers[2] = {nullptr, nullptr};
    int selector = 0;
    DoubleBuffer() = default;
    LADDER_INLINE DoubleBuffer(T* current, T* other) : d_buffers{current, other} {}
    LADDER_INLINE T* Current() { return d_buffers[selector]; }
    LADDER_INLINE T* Alternate() { return d_buffers[selector ^ 1]; }
};

// The lane `from` of each group of so many; a neighbour, or the own value where it lies beyond first or last.
template <int Lanes, class T> LADDER_INLINE T ShuffleIndex(T value, int from, unsigned mask) { return __shfl_sync(mask, value, from, Lanes); }
template <int Lanes, class T> LADDER_INLINE T ShuffleUp(T value, int by, int first, unsigned mask) {
    const T other = __shfl_up_sync(mask, value, static_cast<unsigned>(by), Lanes);
    return ladder_parts::rank() % Lanes - by < first ? value : other;
}
template <int Lanes, class T> LADDER_INLINE T ShuffleDown(T value, int by, int last, unsigned mask) {
    const T other = __shfl_down_sync(mask, value, static_cast<unsigned>(by), Lanes);
    return ladder_parts::rank() % Lanes + by > last ? value : other;
}

}  // namespace cub
