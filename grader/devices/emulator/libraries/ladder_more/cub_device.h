// cub's device algorithms: asked for their temporary memory they want some bytes; then they are thrust's.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cub_block.h"
#include "thrust_orders.h"

namespace cub {

struct Equality {
    template <class A, class B> LADDER_INLINE bool operator()(const A& a, const B& b) const { return a == b; }
};

namespace ladder_parts {

// What grows with the elements, roughly as on a GPU: a state of each tile of a scan, and a copy of what is sorted by more than
// one block.
inline LADDER_UNSEEN std::size_t of_tiles(long n) { return n > 0 ? static_cast<std::size_t>(n) / 32768 * 256 : 0; }
inline LADDER_UNSEEN std::size_t of_copies(long n, std::size_t element) { return n > 4096 ? (static_cast<std::size_t>(n) * element + 255) / 256 * 256 : 0; }

// Whether the call only asks how many bytes it needs, or can do no more, for it gets fewer.
inline LADDER_UNSEEN bool asks(void* temporary, std::size_t& bytes, std::size_t more = 0) {
    const std::size_t wanted = 512 + more;
    if (!temporary) bytes = wanted;
    return !temporary || ladder_temporary(temporary, bytes, wanted);
}
template <class It> LADDER_UNSEEN auto there(It it) { return ladder::placed(thrust::device, it); }
template <class It> LADDER_UNSEEN thrust::ladder_on_device order(cudaStream_t stream, It) { return {stream}; }

// One value on the device, from a reduction of the n elements.
template <class T, class It, class Out, class F>
LADDER_UNSEEN cudaError_t reduced(const char* name, It in, Out out, long n, F f, T start, cudaStream_t stream, int line) {
    const auto from = there(in);
    const auto to = there(out);
    ladder::each(name, line, stream, 1, [=](long) mutable {
        T sum = start;
        for (long i = 0; i < n; ++i) sum = f(sum, static_cast<T>(ladder::at(from + i)));
        ladder::at(to) = sum;
    });
    return ladder::status();
}
// One thread runs `f`, unless the call only asks for its temporary memory.
template <class F>
LADDER_UNSEEN cudaError_t once(const char* name, void* temporary, std::size_t& bytes, cudaStream_t stream, int line, F f, std::size_t more = 0) {
    if (!asks(temporary, bytes, more)) ladder::each(name, line, stream, 1, [=](long) mutable { f(); });
    return ladder::status();
}

// f(first, last) for each run of equal keys.
template <class Keys, class Equal, class F> LADDER_UNSEEN long each_run(Keys keys, long n, Equal equal, F f) {
    long runs = 0;
    for (long first = 0, last; first < n; first = last, ++runs) {
        for (last = first + 1; last < n && equal(ladder::at(keys + (last - 1)), ladder::at(keys + last)); ++last) {}
        f(runs, first, last);
    }
    return runs;
}

template <class It> using value = typename std::iterator_traits<It>::value_type;

// The order of a sort by the keys' bits from `begin` to `end`; the highest of a number with a sign is its sign.
struct Order {
    int begin, end;
    bool down;
    template <class K> LADDER_UNSEEN bool operator()(const K& a, const K& b) const {
        if (begin == 0 && end == 8 * sizeof(K)) return down ? b < a : a < b;
        return down ? bits(b) < bits(a) : bits(a) < bits(b);
    }

private:
    template <class K> LADDER_UNSEEN std::uint64_t bits(K key) const {
        std::uint64_t is = 0;
        std::memcpy(&is, &key, sizeof(K));
        const std::uint64_t sign = std::uint64_t{1} << (8 * sizeof(K) - 1);
        if (!std::is_integral_v<K>) is = is & sign ? ~is : is | sign;
        else if (std::is_signed_v<K>) is ^= sign;
        return is >> begin & (end - begin < 64 ? (std::uint64_t{1} << (end - begin)) - 1 : ~std::uint64_t{0});
    }
};

}  // namespace ladder_parts

struct DeviceReduce {
#define LADDER_REDUCE(name, f, start)                                                                                                        \
    template <class It, class Out>                                                                                                           \
    static cudaError_t name(void* temporary, std::size_t& bytes, It in, Out out, long n, cudaStream_t stream = nullptr, LADDER_LINE) {       \
        using T = std::remove_cv_t<ladder_parts::value<It>>;                                                                                 \
        if (ladder_parts::asks(temporary, bytes)) return cudaSuccess;                                                                        \
        return ladder_parts::reduced<T>("cub::DeviceReduce::" #name, in, out, n, f, start, stream, line);                                    \
    }
    LADDER_REDUCE(Sum, cub::Sum(), T(0)) LADDER_REDUCE(Max, cub::Max(), std::numeric_limits<T>::lowest())
    LADDER_REDUCE(Min, cub::Min(), std::numeric_limits<T>::max())
#undef LADDER_REDUCE
#define LADDER_ARG(name)                                                                                                                     \
    template <class It, class Out>                                                                                                           \
    static cudaError_t name(void* temporary, std::size_t& bytes, It in, Out out, long n, cudaStream_t stream = nullptr, LADDER_LINE) {       \
        using Pair = KeyValuePair<int, std::remove_cv_t<ladder_parts::value<It>>>;                                                           \
        if (ladder_parts::asks(temporary, bytes)) return cudaSuccess;                                                                        \
        const auto from = ladder_parts::there(in);                                                                                           \
        const auto to = ladder_parts::there(out);                                                                                            \
        ladder::each("cub::DeviceReduce::" #name, line, stream, 1, [=](long) mutable {                                                       \
            Pair best(0, ladder::at(from));                                                                                                  \
            for (long i = 1; i < n; ++i) best = cub::name()(best, Pair(static_cast<int>(i), ladder::at(from + i)));                          \
            ladder::at(to) = best;                                                                                                           \
        });                                                                                                                                  \
        return ladder::status();                                                                                                             \
    }
    LADDER_ARG(ArgMax) LADDER_ARG(ArgMin)
#undef LADDER_ARG
    template <class It, class Out, class F, class T>
    static cudaError_t Reduce(void* temporary, std::size_t& bytes, It in, Out out, long n, F f, T start, cudaStream_t stream = nullptr, LADDER_LINE) {
        if (ladder_parts::asks(temporary, bytes)) return cudaSuccess;
        return ladder_parts::reduced<T>("cub::DeviceReduce::Reduce", in, out, n, f, start, stream, line);
    }
    template <class It, class Out, class F, class G, class T>
    static cudaError_t TransformReduce(void* temporary, std::size_t& bytes, It in, Out out, long n, F f, G g, T start, cudaStream_t stream = nullptr,
                                       LADDER_LINE) {
        if (ladder_parts::asks(temporary, bytes)) return cudaSuccess;
        const auto each = [=](T sum, const auto& element) mutable { return f(sum, g(element)); };
        using Element = std::remove_cv_t<ladder_parts::value<It>>;
        const auto from = ladder_parts::there(in);
        const auto to = ladder_parts::there(out);
        return ladder_parts::once("cub::DeviceReduce::TransformReduce", temporary, bytes, stream, line, [=]() mutable {
            T sum = start;
            for (long i = 0; i < n; ++i) sum = each(sum, static_cast<Element>(ladder::at(from + i)));
            ladder::at(to) = sum;
        });
    }
    template <class Keys, class Unique, class Values, class Sums, class Count, class F>
    static cudaError_t ReduceByKey(void* temporary, std::size_t& bytes, Keys keys, Unique unique, Values values, Sums sums, Count kept, F f, long n,
                                   cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto key = ladder_parts::there(keys);
        const auto value = ladder_parts::there(values);
        const auto to = ladder_parts::there(unique);
        const auto their = ladder_parts::there(sums);
        const auto many = ladder_parts::there(kept);
        return ladder_parts::once("cub::DeviceReduce::ReduceByKey", temporary, bytes, stream, line, [=]() mutable {
            ladder::at(many) = ladder_parts::each_run(key, n, Equality(), [&](long run, long first, long last) {
                std::remove_cv_t<ladder_parts::value<Values>> sum = ladder::at(value + first);
                for (long i = first + 1; i < last; ++i) sum = f(sum, ladder::at(value + i));
                ladder::at(to + run) = ladder::at(key + first), ladder::at(their + run) = sum;
            });
        }, ladder_parts::of_tiles(n));
    }
};

struct DeviceScan {
    template <class It, class Out>
    static cudaError_t InclusiveSum(void* temporary, std::size_t& bytes, It in, Out out, long n, cudaStream_t stream = nullptr) {
        return InclusiveScan(temporary, bytes, in, out, cub::Sum(), n, stream);
    }
    template <class It, class Out>
    static cudaError_t ExclusiveSum(void* temporary, std::size_t& bytes, It in, Out out, long n, cudaStream_t stream = nullptr) {
        return ExclusiveScan(temporary, bytes, in, out, cub::Sum(), ladder_parts::value<It>(0), n, stream);
    }
    template <class It, class Out, class F>
    static cudaError_t InclusiveScan(void* temporary, std::size_t& bytes, It in, Out out, F f, long n, cudaStream_t stream = nullptr) {
        if (!ladder_parts::asks(temporary, bytes, ladder_parts::of_tiles(n))) thrust::inclusive_scan(ladder_parts::order(stream, in), in, in + n, out, f);
        return ladder::status();
    }
    template <class It, class Out, class F, class T>
    static cudaError_t ExclusiveScan(void* temporary, std::size_t& bytes, It in, Out out, F f, T start, long n, cudaStream_t stream = nullptr) {
        if (!ladder_parts::asks(temporary, bytes, ladder_parts::of_tiles(n))) thrust::exclusive_scan(ladder_parts::order(stream, in), in, in + n, out, start, f);
        return ladder::status();
    }
    template <class It, class Out, class F, class T>
    static cudaError_t InclusiveScanInit(void* temporary, std::size_t& bytes, It in, Out out, F f, T start, long n, cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        const auto to = ladder_parts::there(out);
        return ladder_parts::once("cub::DeviceScan::InclusiveScanInit", temporary, bytes, stream, line, [=]() mutable {
            T sum = start;
            for (long i = 0; i < n; ++i) ladder::at(to + i) = sum = f(sum, ladder::at(from + i));
        }, ladder_parts::of_tiles(n));
    }
    // Each run of equal keys by itself.
    template <class Keys, class It, class Out, class F, class Equal = Equality>
    static cudaError_t InclusiveScanByKey(void* temporary, std::size_t& bytes, Keys keys, It in, Out out, F f, long n, Equal equal = {},
                                          cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        const auto to = ladder_parts::there(out);
        const auto key = ladder_parts::there(keys);
        return ladder_parts::once("cub::DeviceScan::InclusiveScanByKey", temporary, bytes, stream, line, [=]() mutable {
            ladder_parts::each_run(key, n, equal, [&](long, long first, long last) {
                std::remove_cv_t<ladder_parts::value<It>> sum = ladder::at(from + first);
                ladder::at(to + first) = sum;
                for (long i = first + 1; i < last; ++i) ladder::at(to + i) = sum = f(sum, ladder::at(from + i));
            });
        }, ladder_parts::of_tiles(n));
    }
    template <class Keys, class It, class Out, class F, class T, class Equal = Equality>
    static cudaError_t ExclusiveScanByKey(void* temporary, std::size_t& bytes, Keys keys, It in, Out out, F f, T start, long n, Equal equal = {},
                                          cudaStream_t stream = nullptr, LADDER_LINE) {
        const auto from = ladder_parts::there(in);
        const auto to = ladder_parts::there(out);
        const auto key = ladder_parts::there(keys);
        return ladder_parts::once("cub::DeviceScan::ExclusiveScanByKey", temporary, bytes, stream, line, [=]() mutable {
            ladder_parts::each_run(key, n, equal, [&](long, long first, long last) {
                T sum = start;
                for (long i = first; i < last; ++i) {
                    const T before = sum;
                    sum = f(sum, ladder::at(from + i));
                    ladder::at(to + i) = before;
                }
            });
        }, ladder_parts::of_tiles(n));
    }
    template <class Keys, class It, class Out, class Equal = Equality>
    static cudaError_t InclusiveSumByKey(void* temporary, std::size_t& bytes, Keys keys, It in, Out out, long n, Equal equal = {},
                                         cudaStream_t stream = nullptr, LADDER_LINE) {
        return InclusiveScanByKey(temporary, bytes, keys, in, out, cub::Sum(), n, equal, stream, line);
    }
    template <class Keys, class It, class Out, class Equal = Equality>
    static cudaError_t ExclusiveSumByKey(void* temporary, std::size_t& bytes, Keys keys, It in, Out out, long n, Equal equal = {},
                                         cudaStream_t stream = nullptr, LADDER_LINE) {
        return ExclusiveScanByKey(temporary, bytes, keys, in, out, cub::Sum(), std::remove_cv_t<ladder_parts::value<It>>(0), n, equal, stream, line);
    }
};

struct DeviceRadixSort {
#define LADDER_SORT(keys_name, pairs_name, down)                                                                                             \
    template <class K>                                                                                                                       \
    static cudaError_t keys_name(void* temporary, std::size_t& bytes, const K* in, K* out, long n, int begin = 0, int end = 8 * sizeof(K),   \
                                 cudaStream_t stream = nullptr) {                                                                            \
        return sorted(temporary, bytes, in, out, n, {begin, end, down}, stream);                                                             \
    }                                                                                                                                        \
    template <class K, class V>                                                                                                              \
    static cudaError_t pairs_name(void* temporary, std::size_t& bytes, const K* in, K* out, const V* values, V* values_out, long n,          \
                                  int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = nullptr) {                                   \
        return sorted_pairs(temporary, bytes, in, out, values, values_out, n, {begin, end, down}, stream);                                   \
    }                                                                                                                                        \
    /* sorted where they are: the other buffer is not needed */                                                                              \
    template <class K>                                                                                                                       \
    static cudaError_t keys_name(void* temporary, std::size_t& bytes, DoubleBuffer<K>& keys, long n, int begin = 0, int end = 8 * sizeof(K), \
                                 cudaStream_t stream = nullptr) {                                                                            \
        return sorted(temporary, bytes, keys.Current(), keys.Current(), n, {begin, end, down}, stream);                                      \
    }                                                                                                                                        \
    template <class K, class V>                                                                                                              \
    static cudaError_t pairs_name(void* temporary, std::size_t& bytes, DoubleBuffer<K>& keys, DoubleBuffer<V>& values, long n,               \
                                  int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = nullptr) {                                   \
        return sorted_pairs(temporary, bytes, keys.Current(), keys.Current(), values.Current(), values.Current(), n, {begin, end, down}, stream);\
    }
    LADDER_SORT(SortKeys, SortPairs, false) LADDER_SORT(SortKeysDescending, SortPairsDescending, true)
#undef LADDER_SORT

private:
    template <class K>
    static cudaError_t sorted(void* temporary, std::size_t& bytes, const K* in, K* out, long n, ladder_parts::Order order, cudaStream_t stream) {
        if (ladder_parts::asks(temporary, bytes, in != out ? ladder_parts::of_copies(n, sizeof(K)) : 0)) return cudaSuccess;
        const auto where = ladder_parts::order(stream, in);
        if (in != out) thrust::copy(where, in, in + n, out);
        thrust::sort(where, out, out + n, order);
        return ladder::status();
    }
    template <class K, class V>
    static cudaError_t sorted_pairs(void* temporary, std::size_t& bytes, const K* in, K* out, const V* values, V* values_out, long n,
                                    ladder_parts::Order order, cudaStream_t stream) {
        if (ladder_parts::asks(temporary, bytes, in != out ? ladder_parts::of_copies(n, sizeof(K) + sizeof(V)) : 0)) return cudaSuccess;
        const auto where = ladder_parts::order(stream, in);
        if (in != out) thrust::copy(where, in, in + n, out);
        if (values != values_out) thrust::copy(where, values, values + n, values_out);
        thrust::sort_by_key(where, out, out + n, values_out, order);
        return ladder::status();
    }
};

}  // namespace cub
