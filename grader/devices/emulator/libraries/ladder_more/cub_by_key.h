// cub's device algorithms that go by equal keys, by segments that are sorted, or by neighbours.
#pragma once

#include "cub_more.h"

namespace cub {

namespace ladder_parts {

// f(first, last) for each segment: elements from its begin to its end.
template <class Begins, class Ends, class F>
LADDER_UNSEEN cudaError_t each_segment(const char* name, void* temporary, std::size_t& bytes, long segments, Begins begins, Ends ends, cudaStream_t stream,
                                       int line, F f) {
    const auto begin = there(begins);
    const auto end = there(ends);
    if (!asks(temporary, bytes))
        ladder::each(name, line, stream, segments, [=](long segment) mutable { f(static_cast<long>(ladder::at(begin + segment)), static_cast<long>(ladder::at(end + segment))); });
    return ladder::status();
}

// Sorts elements `first` to `last` by insertion into `out`: stable, and a segment is short.
template <class K, class Less, class Move> LADDER_UNSEEN void insert_sorted(K* out, long first, long last, Less less, Move move) {
    for (long i = first; i < last; ++i) {
        const K key = out[i];
        long low = first, high = i;
        while (low < high) {
            const long middle = (low + high) / 2;
            less(key, K(out[middle])) ? high = middle : low = middle + 1;
        }
        for (long j = i; j > low; --j) out[j] = K(out[j - 1]);
        out[low] = key;
        move(i, low);
    }
}

template <class K, class V, class Begins, class Ends>
LADDER_UNSEEN cudaError_t sort_segments(const char* name, void* temporary, std::size_t& bytes, const K* in, K* out, const V* values, V* values_out, long segments,
                                        Begins begins, Ends ends, Order order, cudaStream_t stream, int line) {
    return each_segment(name, temporary, bytes, segments, begins, ends, stream, line, [=](long first, long last) {
        for (long i = first; in != out && i < last; ++i) out[i] = in[i];
        for (long i = first; values != values_out && i < last; ++i) values_out[i] = values[i];
        insert_sorted(out, first, last, order, [=](long from, long to) {
            if (!values_out || from == to) return;
            const V moved = values_out[from];
            for (long j = from; j > to; --j) values_out[j] = V(values_out[j - 1]);
            values_out[to] = moved;
        });
    });
}

}  // namespace ladder_parts

#define LADDER_SEGMENTED(name, bits, order, pass)                                                                                            \
    template <class K, class Begins, class Ends>                                                                                             \
    static cudaError_t name##Keys##order(void* temporary, std::size_t& bytes, const K* in, K* out, long, long segments, Begins begins, Ends ends bits, \
                                         cudaStream_t stream = nullptr, LADDER_LINE) {                                                       \
        return ladder_parts::sort_segments("cub::" pass, temporary, bytes, in, out, static_cast<const int*>(nullptr), static_cast<int*>(nullptr), \
                                           segments, begins, ends, LADDER_BITS(#order), stream, line);                                       \
    }                                                                                                                                        \
    template <class K, class V, class Begins, class Ends>                                                                                    \
    static cudaError_t name##Pairs##order(void* temporary, std::size_t& bytes, const K* in, K* out, const V* values, V* values_out, long,    \
                                          long segments, Begins begins, Ends ends bits, cudaStream_t stream = nullptr, LADDER_LINE) {        \
        return ladder_parts::sort_segments("cub::" pass, temporary, bytes, in, out, values, values_out, segments, begins, ends,              \
                                           LADDER_BITS(#order), stream, line);                                                               \
    }
struct DeviceSegmentedRadixSort {
#define LADDER_OF_BITS , int begin_bit = 0, int end_bit = 8 * sizeof(K)
#define LADDER_BITS(order) {begin_bit, end_bit, order[0] == 'D'}
    LADDER_SEGMENTED(Sort, LADDER_OF_BITS, , "DeviceSegmentedRadixSort")
    LADDER_SEGMENTED(Sort, LADDER_OF_BITS, Descending, "DeviceSegmentedRadixSort")
#undef LADDER_BITS
#undef LADDER_OF_BITS
};
struct DeviceSegmentedSort {
#define LADDER_NO_BITS
#define LADDER_BITS(order) {0, 8 * sizeof(K), order[0] == 'D'}
    LADDER_SEGMENTED(Sort, LADDER_NO_BITS, , "DeviceSegmentedSort") LADDER_SEGMENTED(Sort, LADDER_NO_BITS, Descending, "DeviceSegmentedSort")
    LADDER_SEGMENTED(StableSort, LADDER_NO_BITS, , "DeviceSegmentedSort") LADDER_SEGMENTED(StableSort, LADDER_NO_BITS, Descending, "DeviceSegmentedSort")
#undef LADDER_BITS
#undef LADDER_NO_BITS
};
#undef LADDER_SEGMENTED

struct DeviceAdjacentDifference {
#define LADDER_SUBTRACT(name, first, step)                                                                                                    \
    template <class It, class Out, class F = thrust::minus<void>>                                                                            \
    static cudaError_t name##Copy(void* temporary, std::size_t& bytes, It in, Out out, long n, F f = {}, cudaStream_t stream = nullptr, LADDER_LINE) { \
        const auto from = ladder_parts::there(in);                                                                                           \
        const auto to = ladder_parts::there(out);                                                                                            \
        if (!ladder_parts::asks(temporary, bytes))                                                                                           \
            ladder::each("cub::DeviceAdjacentDifference", line, stream, n, [=](long i) mutable {                                             \
                if (i == first) ladder::at(to + i) = ladder::at(from + i);                                                                   \
                else ladder::at(to + i) = f(ladder::at(from + i), ladder::at(from + (i + step)));                                            \
            });                                                                                                                              \
        return ladder::status();                                                                                                             \
    }
    LADDER_SUBTRACT(SubtractLeft, 0, -1) LADDER_SUBTRACT(SubtractRight, n - 1, 1)
#undef LADDER_SUBTRACT
};

}  // namespace cub
