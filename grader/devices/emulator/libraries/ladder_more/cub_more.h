// cub's device algorithms that choose, count, group and sort by segments; a thread of a kernel does each.
#pragma once

#include "cub_device.h"

namespace cub {

namespace ladder_parts {

// Elements that `is(i)` chooses, in their order; with `others`, those that it does not choose from the end backwards.
template <class It, class Out, class Count, class Is>
LADDER_UNSEEN cudaError_t chosen(const char* name, void* temporary, std::size_t& bytes, It in, Out out, Count kept, long n, Is is, bool others,
                                 cudaStream_t stream, int line) {
    const auto from = there(in);
    const auto to = there(out);
    const auto many = there(kept);
    return once(name, temporary, bytes, stream, line, [=]() mutable {
        long count = 0;
        for (long i = 0; i < n; ++i) {
            if (is(i)) ladder::at(to + count++) = ladder::at(from + i);
            else if (others) ladder::at(to + (n - 1 - (i - count))) = ladder::at(from + i);
        }
        ladder::at(many) = count;
    }, of_tiles(n));
}

}  // namespace ladder_parts

struct DeviceSelect {
    template <class It, class Out, class Count, class Is>
    static cudaError_t If(void* temporary, std::size_t& bytes, It in, Out out, Count kept, long n, Is is, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        return ladder_parts::chosen("cub::DeviceSelect::If", temporary, bytes, in, out, kept, n, [=](long i) mutable { return is(ladder::at(from + i)); },
                                    false, stream, line);
    }
    template <class It, class Flags, class Out, class Count>
    static cudaError_t Flagged(void* temporary, std::size_t& bytes, It in, Flags flags, Out out, Count kept, long n, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto flag = ladder_parts::there(flags);
        return ladder_parts::chosen("cub::DeviceSelect::Flagged", temporary, bytes, in, out, kept, n,
                                    [=](long i) mutable { return static_cast<bool>(ladder::at(flag + i)); }, false, stream, line);
    }
    template <class It, class Out, class Count>
    static cudaError_t Unique(void* temporary, std::size_t& bytes, It in, Out out, Count kept, long n, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        return ladder_parts::chosen("cub::DeviceSelect::Unique", temporary, bytes, in, out, kept, n,
                                    [=](long i) mutable { return i == 0 || !(ladder::at(from + (i - 1)) == ladder::at(from + i)); }, false, stream, line);
    }
    template <class Keys, class Values, class KeysOut, class ValuesOut, class Count>
    static cudaError_t UniqueByKey(void* temporary, std::size_t& bytes, Keys keys, Values values, KeysOut keys_out, ValuesOut values_out, Count kept,
                                   long n, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto key = ladder_parts::there(keys);
        const auto value = ladder_parts::there(values);
        const auto to = ladder_parts::there(keys_out);
        const auto theirs = ladder_parts::there(values_out);
        const auto many = ladder_parts::there(kept);
        return ladder_parts::once("cub::DeviceSelect::UniqueByKey", temporary, bytes, stream, line, [=]() mutable {
            ladder::at(many) = ladder_parts::each_run(key, n, Equality(), [&](long run, long first, long) {
                ladder::at(to + run) = ladder::at(key + first), ladder::at(theirs + run) = ladder::at(value + first);
            });
        });
    }
};

struct DevicePartition {
    template <class It, class Out, class Count, class Is>
    static cudaError_t If(void* temporary, std::size_t& bytes, It in, Out out, Count kept, long n, Is is, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        return ladder_parts::chosen("cub::DevicePartition::If", temporary, bytes, in, out, kept, n, [=](long i) mutable { return is(ladder::at(from + i)); },
                                    true, stream, line);
    }
    template <class It, class Flags, class Out, class Count>
    static cudaError_t Flagged(void* temporary, std::size_t& bytes, It in, Flags flags, Out out, Count kept, long n, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto flag = ladder_parts::there(flags);
        return ladder_parts::chosen("cub::DevicePartition::Flagged", temporary, bytes, in, out, kept, n,
                                    [=](long i) mutable { return static_cast<bool>(ladder::at(flag + i)); }, true, stream, line);
    }
};

struct DeviceRunLengthEncode {
    template <class It, class Unique, class Counts, class Count>
    static cudaError_t Encode(void* temporary, std::size_t& bytes, It in, Unique unique, Counts counts, Count kept, long n, cudaStream_t stream = nullptr,
                              LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        const auto to = ladder_parts::there(unique);
        const auto lengths = ladder_parts::there(counts);
        const auto many = ladder_parts::there(kept);
        return ladder_parts::once("cub::DeviceRunLengthEncode::Encode", temporary, bytes, stream, line, [=]() mutable {
            ladder::at(many) = ladder_parts::each_run(from, n, Equality(), [&](long run, long first, long last) {
                ladder::at(to + run) = ladder::at(from + first), ladder::at(lengths + run) = last - first;
            });
        });
    }
    // Where each run of more than one begins, and how long it is.
    template <class It, class Offsets, class Lengths, class Count>
    static cudaError_t NonTrivialRuns(void* temporary, std::size_t& bytes, It in, Offsets offsets, Lengths lengths, Count kept, long n,
                                      cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        const auto begins = ladder_parts::there(offsets);
        const auto sizes = ladder_parts::there(lengths);
        const auto many = ladder_parts::there(kept);
        return ladder_parts::once("cub::DeviceRunLengthEncode::NonTrivialRuns", temporary, bytes, stream, line, [=]() mutable {
            long count = 0;
            ladder_parts::each_run(from, n, Equality(), [&](long, long first, long last) {
                if (last - first > 1) ladder::at(begins + count) = first, ladder::at(sizes + count++) = last - first;
            });
            ladder::at(many) = count;
        });
    }
};

struct DeviceHistogram {
    template <class It, class Counter, class Level>
    static cudaError_t HistogramEven(void* temporary, std::size_t& bytes, It samples, Counter* histogram, int levels, Level lower, Level upper, long n,
                                     cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto sample = ladder_parts::there(samples);
        return ladder_parts::once("cub::DeviceHistogram::HistogramEven", temporary, bytes, stream, line,
                                  [=]() mutable { even(sample, 1, histogram, levels, lower, upper, n); });
    }
    template <class It, class Counter, class Level>
    static cudaError_t HistogramRange(void* temporary, std::size_t& bytes, It samples, Counter* histogram, int levels, const Level* bounds, long n,
                                      cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto sample = ladder_parts::there(samples);
        return ladder_parts::once("cub::DeviceHistogram::HistogramRange", temporary, bytes, stream, line, [=]() mutable {
            for (int bin = 0; bin < levels - 1; ++bin) histogram[bin] = 0;
            for (long i = 0; i < n; ++i)
                for (int bin = 0; bin < levels - 1; ++bin)
                    if (ladder::at(sample + i) >= bounds[bin] && ladder::at(sample + i) < bounds[bin + 1]) ++histogram[bin];
        });
    }
    // Of pixels with `channels` samples each, a histogram of each of the first `active`. The arrays of what they are, are the host's.
    template <int channels, int active, class It, class Histograms, class Levels, class Lower, class Upper>
    static cudaError_t MultiHistogramEven(void* temporary, std::size_t& bytes, It samples, Histograms&& histograms, Levels&& levels, Lower&& lower,
                                          Upper&& upper, long pixels, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto sample = ladder_parts::there(samples);
        if (ladder_parts::asks(temporary, bytes)) return ladder::status();
        for (int channel = 0; channel < active; ++channel)
            ladder_parts::once("cub::DeviceHistogram::MultiHistogramEven", temporary, bytes, stream, line,
                               [=, to = histograms[channel], many = levels[channel], low = lower[channel], high = upper[channel]]() mutable {
                                   even(sample + channel, channels, to, many, low, high, pixels);
                               });
        return ladder::status();
    }

private:
    template <class It, class Counter, class Level>
    static void even(It sample, long step, Counter* histogram, int levels, Level lower, Level upper, long n) {
        for (int bin = 0; bin < levels - 1; ++bin) histogram[bin] = 0;
        for (long i = 0; i < n; ++i) {
            const auto value = ladder::at(sample + i * step);
            if (!(value >= lower && value < upper)) continue;
            using Wide = std::conditional_t<std::is_floating_point_v<Level>, Level, long long>;
            const Wide scaled = (static_cast<Wide>(value) - static_cast<Wide>(lower)) * static_cast<Wide>(levels - 1);
            ++histogram[static_cast<int>(scaled / (static_cast<Wide>(upper) - static_cast<Wide>(lower)))];
        }
    }
};

struct DeviceSegmentedReduce {
    template <class It, class Out, class Begins, class Ends, class F, class T>
    static cudaError_t Reduce(void* temporary, std::size_t& bytes, It in, Out out, long segments, Begins begins, Ends ends, F f, T start,
                              cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        const auto to = ladder_parts::there(out);
        const auto begin = ladder_parts::there(begins);
        const auto end = ladder_parts::there(ends);
        if (!ladder_parts::asks(temporary, bytes))
            ladder::each("cub::DeviceSegmentedReduce", line, stream, segments, [=](long segment) mutable {
                T sum = start;
                for (long i = ladder::at(begin + segment), last = ladder::at(end + segment); i < last; ++i) sum = f(sum, static_cast<T>(ladder::at(from + i)));
                ladder::at(to + segment) = sum;
            });
        return ladder::status();
    }
#define LADDER_REDUCE(name, start)                                                                                                           \
    template <class It, class Out, class Begins, class Ends>                                                                                 \
    static cudaError_t name(void* temporary, std::size_t& bytes, It in, Out out, long segments, Begins begins, Ends ends,                    \
                            cudaStream_t stream = nullptr, LADDER_LINE) {                                                                    \
        using T = std::remove_cv_t<ladder_parts::value<It>>;                                                                                 \
        return Reduce(temporary, bytes, in, out, segments, begins, ends, cub::name(), start, stream, line);                                  \
    }
    LADDER_REDUCE(Sum, T(0)) LADDER_REDUCE(Max, std::numeric_limits<T>::lowest()) LADDER_REDUCE(Min, std::numeric_limits<T>::max())
#undef LADDER_REDUCE
};

struct DeviceMergeSort {
#define LADDER_SORT(keys_name, pairs_name)                                                                                                   \
    template <class Keys, class Less>                                                                                                        \
    static cudaError_t keys_name(void* temporary, std::size_t& bytes, Keys keys, long n, Less less, cudaStream_t stream = nullptr) {         \
        if (!ladder_parts::asks(temporary, bytes, ladder_parts::of_copies(n, sizeof(ladder_parts::value<Keys>))))                            \
            thrust::sort(ladder_parts::order(stream, keys), keys, keys + n, less);                                                           \
        return ladder::status();                                                                                                             \
    }                                                                                                                                        \
    template <class Keys, class Values, class Less>                                                                                          \
    static cudaError_t pairs_name(void* temporary, std::size_t& bytes, Keys keys, Values values, long n, Less less,                          \
                                  cudaStream_t stream = nullptr) {                                                                           \
        const std::size_t element = sizeof(ladder_parts::value<Keys>) + sizeof(ladder_parts::value<Values>);                                 \
        if (!ladder_parts::asks(temporary, bytes, ladder_parts::of_copies(n, element)))                                                      \
            thrust::sort_by_key(ladder_parts::order(stream, keys), keys, keys + n, values, less);                                            \
        return ladder::status();                                                                                                             \
    }
    LADDER_SORT(SortKeys, SortPairs) LADDER_SORT(StableSortKeys, StableSortPairs)
#undef LADDER_SORT
};

struct DeviceFor {
    template <class F> static cudaError_t Bulk(long n, F f, cudaStream_t stream = nullptr, LADDER_LINE) {
        ladder::each("cub::DeviceFor::Bulk", line, stream, n, f);
        return ladder::status();
    }
    template <class It, class F> static cudaError_t ForEachN(It first, long n, F f, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(first);
        ladder::each("cub::DeviceFor::ForEachN", line, stream, n, [=](long i) mutable { f(ladder::at(from + i)); });
        return ladder::status();
    }
    template <class It, class F> static cudaError_t ForEach(It first, It last, F f, cudaStream_t stream = nullptr, LADDER_LINE) {
        return ForEachN(first, last - first, f, stream, line);
    }
};

struct DeviceTransform {
    template <class... Its, class Out, class F>
    static cudaError_t Transform(std::tuple<Its...> its, Out out, long n, F f, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto to = ladder_parts::there(out);
        const auto from = std::apply([](auto... it) { return std::make_tuple(ladder_parts::there(it)...); }, its);
        ladder::each("cub::DeviceTransform::Transform", line, stream, n, [=](long i) mutable {
            std::apply([&](auto... it) { ladder::at(to + i) = f(ladder::at(it + i)...); }, from);
        });
        return ladder::status();
    }
    template <class... Its, class Out, class F>
    static cudaError_t Transform(cuda::std::tuple<Its...> its, Out out, long n, F f, cudaStream_t stream = nullptr, LADDER_LINE) {
        return Transform(thrust::ladder_tuple(its), out, n, f, stream, line);
    }
    template <class It, class Out, class F> static cudaError_t Transform(It it, Out out, long n, F f, cudaStream_t stream = nullptr, LADDER_LINE) {
        return Transform(std::make_tuple(it), out, n, f, stream, line);
    }
};

}  // namespace cub
