// thrust's algorithms that part a range, scan by keys or bring two ranges together: on the device, one thread of a kernel does.
#pragma once

#include "thrust_orders.h"

namespace thrust {

// ---- what keeps some elements ----

template <class It, class Out, class Is> Out remove_copy_if(It first, It last, Out out, Is is, LADDER_LINE) {
    return copy_if(first, last, out, [=](const auto& each) mutable { return !is(each); }, line);
}
template <class It, class Out, class Same = equal_to<>> Out unique_copy(It first, It last, Out out, Same same = Same(), LADDER_LINE) {
    return unique(out, copy(first, last, out, line), same, line);
}
template <class Keys, class Values, class Same = equal_to<>>
pair<Keys, Values> unique_by_key(Keys first, Keys last, Values values, Same same = Same(), LADDER_LINE) {
    const long made = ladder::worked_out<ladder::on_device<Keys, Values>, long>("thrust::unique_by_key", line, [=]() mutable {
        long kept = first != last ? 1 : 0;
        for (long i = 1, n = last - first; i < n; ++i) {
            if (same(ladder::at(first + (kept - 1)), ladder::at(first + i))) continue;
            ladder::at(values + kept) = ladder::at(values + i);
            ladder::at(first + kept++) = ladder::at(first + i);
        }
        return kept;
    });
    return {first + made, values + made};
}
template <class Keys, class Values, class OutKeys, class OutValues, class Same = equal_to<>>
pair<OutKeys, OutValues> unique_by_key_copy(Keys first, Keys last, Values values, OutKeys keys, OutValues out, Same same = Same(), LADDER_LINE) {
    const long made = ladder::worked_out<ladder::on_device<Keys, Values>, long>("thrust::unique_by_key_copy", line, [=]() mutable {
        long kept = 0;
        for (long i = 0, n = last - first; i < n; ++i) {
            if (i > 0 && same(ladder::at(first + (i - 1)), ladder::at(first + i))) continue;
            ladder::at(keys + kept) = ladder::at(first + i);
            ladder::at(out + kept++) = ladder::at(values + i);
        }
        return kept;
    });
    return {keys + made, out + made};
}

// ---- two parts: what `is` holds for comes first ----

template <class It, class Is> It stable_partition(It first, It last, Is is, LADDER_LINE) {
    stable_sort(first, last, [=](const auto& a, const auto& b) mutable { return is(a) && !is(b); }, line);
    return first + count_if(first, last, is, line);
}
template <class It, class Stencil, class Is, LADDER_IF(!std::is_same_v<Is, int>)>
It stable_partition(It first, It last, Stencil stencil, Is is, LADDER_LINE) {
    const long n = last - first;
    std::vector<ladder::value_of<It>> values(static_cast<std::size_t>(n)), parted;
    std::vector<ladder::value_of<Stencil>> chosen(static_cast<std::size_t>(n));
    copy(first, last, values.begin(), line);
    copy(stencil, stencil + n, chosen.begin(), line);
    std::ptrdiff_t kept = 0;
    for (const bool wanted : {true, false}) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (static_cast<bool>(is(chosen[i])) == wanted) parted.push_back(values[i]);
        if (wanted) kept = static_cast<std::ptrdiff_t>(parted.size());
    }
    copy(parted.begin(), parted.end(), first, line);
    return first + kept;
}
template <class It, class... A> It partition(It first, It last, A... a) { return stable_partition(first, last, a...); }
template <class It, class Yes, class No, class Is> pair<Yes, No> stable_partition_copy(It first, It last, Yes yes, No no, Is is, LADDER_LINE) {
    return {copy_if(first, last, yes, is, line), remove_copy_if(first, last, no, is, line)};
}
template <class It, class Yes, class No, class Is> pair<Yes, No> partition_copy(It first, It last, Yes yes, No no, Is is, LADDER_LINE) {
    return stable_partition_copy(first, last, yes, no, is, line);
}
template <class It, class Is> It partition_point(It first, It last, Is is, LADDER_LINE) {
    return find_if(first, last, [=](const auto& each) mutable { return !is(each); }, line);
}

// ---- any order ----

}  // namespace thrust

namespace ladder {

// 16 bits at a time of an engine, thrust's or the C++ library's: the one's `max` is a number, the other's a function.
template <class Engine> struct RandomBits {
    using result_type = unsigned;
    Engine& engine;
    static constexpr unsigned min() { return 0; }
    static constexpr unsigned max() { return 0xffff; }
    unsigned operator()() { return static_cast<unsigned>(engine() >> 3) & 0xffff; }
};

}  // namespace ladder

namespace thrust {

template <class It, class Random> void shuffle(It first, It last, Random&& random, LADDER_LINE) {
    std::vector<ladder::value_of<It>> values(static_cast<std::size_t>(last - first));
    copy(first, last, values.begin(), line);
    std::shuffle(values.begin(), values.end(), ladder::RandomBits<std::remove_reference_t<Random>>{random});
    copy(values.begin(), values.end(), first, line);
}
template <class It, class Out, class Random> void shuffle_copy(It first, It last, Out out, Random&& random, LADDER_LINE) {
    shuffle(out, copy(first, last, out, line), random, line);
}

// ---- scans that begin again where the key changes ----

template <class Keys, class Values, class Out, class Same = equal_to<>, class F = plus<>>
Out inclusive_scan_by_key(Keys first, Keys last, Values values, Out out, Same same = Same(), F f = F(), LADDER_LINE) {
    ladder::every<ladder::on_device<Keys, Values, Out>>("thrust::inclusive_scan_by_key", line, first != last ? 1 : 0, [=](long) mutable {
        ladder::value_of<Values> sum = ladder::at(values);
        ladder::at(out) = sum;
        for (long i = 1, n = last - first; i < n; ++i) {
            const ladder::value_of<Values> next = ladder::at(values + i);
            ladder::at(out + i) = sum = same(ladder::at(first + (i - 1)), ladder::at(first + i)) ? f(sum, next) : next;
        }
    });
    return out + (last - first);
}
template <class Keys, class Values, class Out, class T = ladder::value_of<Values>, class Same = equal_to<>, class F = plus<>>
Out exclusive_scan_by_key(Keys first, Keys last, Values values, Out out, T start = T(), Same same = Same(), F f = F(), LADDER_LINE) {
    ladder::every<ladder::on_device<Keys, Values, Out>>("thrust::exclusive_scan_by_key", line, 1, [=](long) mutable {
        T sum = start;
        for (long i = 0, n = last - first; i < n; ++i) {
            if (i > 0 && !same(ladder::at(first + (i - 1)), ladder::at(first + i))) sum = start;
            const T next = f(sum, ladder::at(values + i));   // in place: before it is overwritten
            ladder::at(out + i) = sum;
            sum = next;
        }
    });
    return out + (last - first);
}

// ---- two ranges in order ----

// One step of going through both at once: which elements come out is what `keeps` says of an element of the first range
// alone, of the second one alone, and of a pair of equal ones.
struct LadderKeeps { bool first, second, both, twice; };
template <class A, class B, class Out, class Less>
Out ladder_together(const char* name, LadderKeeps keeps, A a, A a_end, B b, B b_end, Out out, Less is_less, int line) {
    return out + ladder::worked_out<ladder::on_device<A, B, Out>, long>(name, line, [=]() mutable {
               long made = 0;
               for (long i = 0, j = 0, n = a_end - a, m = b_end - b; i < n || j < m;) {
                   const bool is_first = j == m || (i < n && is_less(ladder::at(a + i), ladder::at(b + j)));
                   const bool is_second = !is_first && (i == n || is_less(ladder::at(b + j), ladder::at(a + i)));
                   if (is_first ? keeps.first : !is_second && keeps.both) ladder::at(out + made++) = ladder::at(a + i);
                   if (is_second && keeps.second) ladder::at(out + made++) = ladder::at(b + j);
                   i += is_second ? 0 : 1;
                   j += is_first || (!is_second && keeps.twice) ? 0 : 1;
               }
               return made;
           });
}
#define LADDER_TOGETHER(name, ...)                                                                                    \
    template <class A, class B, class Out, class Less = less<>>                                                       \
    Out name(A a, A a_end, B b, B b_end, Out out, Less is_less = Less(), LADDER_LINE) {                               \
        return ladder_together("thrust::" #name, __VA_ARGS__, a, a_end, b, b_end, out, is_less, line);                \
    }                                                                                                                 \
    LADDER_WITH_POLICY(name)
LADDER_TOGETHER(merge, LadderKeeps{true, true, true, true})
LADDER_TOGETHER(set_union, LadderKeeps{true, true, true, false})
LADDER_TOGETHER(set_intersection, LadderKeeps{false, false, true, false})
LADDER_TOGETHER(set_difference, LadderKeeps{true, false, false, false})
LADDER_TOGETHER(set_symmetric_difference, LadderKeeps{true, true, false, false})
#undef LADDER_TOGETHER

LADDER_WITH_POLICY(remove_copy_if) LADDER_WITH_POLICY(unique_copy) LADDER_WITH_POLICY(unique_by_key) LADDER_WITH_POLICY(unique_by_key_copy)
LADDER_WITH_POLICY(stable_partition)
LADDER_WITH_POLICY(partition) LADDER_WITH_POLICY(stable_partition_copy) LADDER_WITH_POLICY(partition_copy) LADDER_WITH_POLICY(partition_point)
LADDER_WITH_POLICY(shuffle) LADDER_WITH_POLICY(shuffle_copy)
LADDER_WITH_POLICY(inclusive_scan_by_key) LADDER_WITH_POLICY(exclusive_scan_by_key)

}  // namespace thrust
