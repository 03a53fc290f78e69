// thrust's algorithms that go through a range in its order: on the device, one thread of a kernel does. Sorting is
// stable: on a copy on the host, and by a thread of a kernel in place.
#pragma once

#include <numeric>

#include "thrust_algorithms.h"
#include "thrust_placeholders.h"

namespace ladder {

template <class Swap> void turned_round(long first, long last, Swap swap) {
    while (first < --last) swap(first++, last);
}
// Brings two ranges that are in order, one behind the other, into one order. Equal ones stay as they were.
template <class Before, class Swap> void merged(long first, long middle, long last, Before is_before, Swap swap) {
    if (first == middle || middle == last || !is_before(middle, middle - 1)) return;
    if (last - first == 2) return swap(first, middle);
    const bool is_left = middle - first > last - middle;   // the longer one is halved, at `pivot`
    const long pivot = is_left ? first + (middle - first) / 2 : middle + (last - middle) / 2;
    long place = is_left ? middle : first;                 // and where that belongs in the other one
    for (long n = is_left ? last - middle : middle - first; n > 0;) {
        const long half = n / 2;
        if (is_left ? is_before(place + half, pivot) : !is_before(pivot, place + half)) place += half + 1, n -= half + 1;
        else n = half;
    }
    const long left = is_left ? pivot : place, right = is_left ? place : pivot;
    turned_round(left, middle, swap), turned_round(middle, right, swap), turned_round(left, right, swap);
    merged(first, left, left + (right - middle), is_before, swap);
    merged(left + (right - middle), right, last, is_before, swap);
}
// Sorts without memory of its own: what a thread would get is the host's.
template <class Before, class Swap> void sorted_in_place(long first, long last, Before is_before, Swap swap) {
    if (last - first < 2) return;
    const long middle = first + (last - first) / 2;
    sorted_in_place(first, middle, is_before, swap);
    sorted_in_place(middle, last, is_before, swap);
    merged(first, middle, last, is_before, swap);
}
template <class It> void swapped(It first, long i, long j) {
    const value_of<It> kept = at(first + i);
    at(first + i) = at(first + j), at(first + j) = kept;
}

}  // namespace ladder

namespace thrust {

// ---- reductions ----

template <class It, class T = ladder::value_of<It>, class F = plus<T>> T reduce(It first, It last, T start = T(), F f = F(), LADDER_LINE) {
    return ladder::worked_out<ladder::on_device<It>, T>("thrust::reduce", line, [=]() mutable {
        T sum = start;
        for (long i = 0, n = last - first; i < n; ++i) sum = f(sum, static_cast<T>(ladder::at(first + i)));
        return sum;
    });
}
template <class It, class Make, class T, class F> T transform_reduce(It first, It last, Make make, T start, F f, LADDER_LINE) {
    return ladder::worked_out<ladder::on_device<It>, T>("thrust::transform_reduce", line, [=]() mutable {
        T sum = start;
        for (long i = 0, n = last - first; i < n; ++i) sum = f(sum, static_cast<T>(make(ladder::at(first + i))));
        return sum;
    });
}
template <class It, class Other, class T, class F = plus<T>, class G = multiplies<T>>
T inner_product(It first, It last, Other other, T start, F f = F(), G g = G(), LADDER_LINE) {
    return ladder::worked_out<ladder::on_device<It, Other>, T>("thrust::inner_product", line, [=]() mutable {
        T sum = start;
        for (long i = 0, n = last - first; i < n; ++i) sum = f(sum, g(ladder::at(first + i), ladder::at(other + i)));
        return sum;
    });
}
template <class It, class Is> std::ptrdiff_t count_if(It first, It last, Is is, LADDER_LINE) {
    return ladder::worked_out<ladder::on_device<It>, std::ptrdiff_t>("thrust::count_if", line, [=]() mutable {
        std::ptrdiff_t count = 0;
        for (long i = 0, n = last - first; i < n; ++i) count += is(ladder::at(first + i)) ? 1 : 0;
        return count;
    });
}
template <class It, class T> std::ptrdiff_t count(It first, It last, const T& value, LADDER_LINE) {
    return count_if(first, last, [=](const auto& each) { return each == value; }, line);
}
// The place of the first element that no earlier one is better than.
template <class It, class Better> long ladder_best(const char* name, It first, It last, Better better, int line) {
    return ladder::worked_out<ladder::on_device<It>, long>(name, line, [=]() mutable {
        long best = 0;
        for (long i = 1, n = last - first; i < n; ++i)
            if (better(ladder::at(first + i), ladder::at(first + best))) best = i;
        return best;
    });
}
template <class It, class Less = less<>> It min_element(It first, It last, Less is_less = Less(), LADDER_LINE) {
    return first + ladder_best("thrust::min_element", first, last, is_less, line);
}
template <class It, class Less = less<>> It max_element(It first, It last, Less is_less = Less(), LADDER_LINE) {
    return first + ladder_best("thrust::max_element", first, last, [=](const auto& a, const auto& b) mutable { return is_less(b, a); }, line);
}
template <class It, class Less = less<>> pair<It, It> minmax_element(It first, It last, Less is_less = Less(), LADDER_LINE) {
    return {min_element(first, last, is_less, line), max_element(first, last, is_less, line)};
}
template <class It, class Is> It find_if(It first, It last, Is is, LADDER_LINE) {
    return first + ladder::worked_out<ladder::on_device<It>, long>("thrust::find_if", line, [=]() mutable {
               long i = 0;
               for (const long n = last - first; i < n && !is(ladder::at(first + i)); ++i) {}
               return i;
           });
}
template <class It, class T> It find(It first, It last, const T& value, LADDER_LINE) {
    return find_if(first, last, [=](const auto& each) { return each == value; }, line);
}
template <class It, class Is> bool any_of(It first, It last, Is is, LADDER_LINE) { return find_if(first, last, is, line) != last; }
template <class It, class Is> bool none_of(It first, It last, Is is, LADDER_LINE) { return !any_of(first, last, is, line); }
template <class It, class Is> bool all_of(It first, It last, Is is, LADDER_LINE) { return count_if(first, last, is, line) == last - first; }
// The first place where the two ranges differ, in both.
template <class It, class Other, class Same = thrust::equal_to<>>
thrust::pair<It, Other> mismatch(It first, It last, Other other, Same same = {}, LADDER_LINE) {
    const long place = ladder::worked_out<ladder::on_device<It, Other>, long>("thrust::mismatch", line, [=]() mutable {
        long i = 0;
        for (const long n = last - first; i < n && same(ladder::at(first + i), ladder::at(other + i)); ++i) {}
        return i;
    });
    return {first + place, other + place};
}
template <class It, class Other> bool equal(It first, It last, Other other, LADDER_LINE) {
    return ladder::worked_out<ladder::on_device<It, Other>, bool>("thrust::equal", line, [=]() {
        long i = 0;
        for (const long n = last - first; i < n; ++i)
            if (!(ladder::at(first + i) == ladder::at(other + i))) return false;
        return true;
    });
}

// ---- scans ----

template <class It, class Out, class F = plus<>> Out inclusive_scan(It first, It last, Out out, F f = F(), LADDER_LINE) {
    ladder::every<ladder::on_device<It, Out>>("thrust::inclusive_scan", line, first != last ? 1 : 0, [=](long) mutable {
        ladder::value_of<It> sum = ladder::at(first);
        ladder::at(out) = sum;
        for (long i = 1, n = last - first; i < n; ++i) ladder::at(out + i) = sum = f(sum, ladder::at(first + i));
    });
    return out + (last - first);
}
template <class It, class Out, class T = ladder::value_of<It>, class F = plus<>>
Out exclusive_scan(It first, It last, Out out, T start = T(), F f = F(), LADDER_LINE) {
    ladder::every<ladder::on_device<It, Out>>("thrust::exclusive_scan", line, 1, [=](long) mutable {
        T sum = start;
        for (long i = 0, n = last - first; i < n; ++i) {
            const T next = f(sum, ladder::at(first + i));   // in place: before it is overwritten
            ladder::at(out + i) = sum;
            sum = next;
        }
    });
    return out + (last - first);
}
template <class It, class Out, class Make, class F> Out transform_inclusive_scan(It first, It last, Out out, Make make, F f, LADDER_LINE) {
    return inclusive_scan(make_transform_iterator(first, make), make_transform_iterator(last, make), out, f, line);
}
template <class It, class Out, class Make, class T, class F>
Out transform_exclusive_scan(It first, It last, Out out, Make make, T start, F f, LADDER_LINE) {
    return exclusive_scan(make_transform_iterator(first, make), make_transform_iterator(last, make), out, start, f, line);
}
template <class It, class Out, class F = minus<>> Out adjacent_difference(It first, It last, Out out, F f = F(), LADDER_LINE) {
    ladder::every<ladder::on_device<It, Out>>("thrust::adjacent_difference", line, first != last ? 1 : 0, [=](long) mutable {
        ladder::value_of<It> before = ladder::at(first);
        ladder::at(out) = before;
        for (long i = 1, n = last - first; i < n; ++i) {
            const ladder::value_of<It> now = ladder::at(first + i);
            ladder::at(out + i) = f(now, before);
            before = now;
        }
    });
    return out + (last - first);
}

// ---- what keeps some elements ----

template <class It, class Out, class Is> Out copy_if(It first, It last, Out out, Is is, LADDER_LINE) {
    return out + ladder::worked_out<ladder::on_device<It, Out>, long>("thrust::copy_if", line, [=]() mutable {
               long kept = 0;
               for (long i = 0, n = last - first; i < n; ++i)
                   if (is(ladder::at(first + i))) ladder::at(out + kept++) = ladder::at(first + i);
               return kept;
           });
}
template <class It, class Stencil, class Out, class Is, LADDER_IF(!std::is_same_v<Is, int>)>
Out copy_if(It first, It last, Stencil stencil, Out out, Is is, LADDER_LINE) {
    return out + ladder::worked_out<ladder::on_device<It, Stencil, Out>, long>("thrust::copy_if", line, [=]() mutable {
               long kept = 0;
               for (long i = 0, n = last - first; i < n; ++i)
                   if (is(ladder::at(stencil + i))) ladder::at(out + kept++) = ladder::at(first + i);
               return kept;
           });
}
template <class It, class Is> It remove_if(It first, It last, Is is, LADDER_LINE) {
    return copy_if(first, last, first, [=](const auto& each) mutable { return !is(each); }, line);
}
template <class It, class Stencil, class Is, LADDER_IF(!std::is_same_v<Is, int>)>
It remove_if(It first, It last, Stencil stencil, Is is, LADDER_LINE) {
    return copy_if(first, last, stencil, first, [=](const auto& each) mutable { return !is(each); }, line);
}
template <class It, class T> It remove(It first, It last, const T& value, LADDER_LINE) {
    return remove_if(first, last, [=](const auto& each) { return each == value; }, line);
}
template <class It, class Same = equal_to<>> It unique(It first, It last, Same same = Same(), LADDER_LINE) {
    return first + ladder::worked_out<ladder::on_device<It>, long>("thrust::unique", line, [=]() mutable {
               long kept = first != last ? 1 : 0;
               for (long i = 1, n = last - first; i < n; ++i)
                   if (!same(ladder::at(first + kept - 1), ladder::at(first + i))) ladder::at(first + kept++) = ladder::at(first + i);
               return kept;
           });
}
template <class It, class Values, class Keys, class Sums, class Same = equal_to<>, class F = plus<>>
pair<Keys, Sums> reduce_by_key(It first, It last, Values values, Keys keys, Sums sums, Same same = Same(), F f = F(), LADDER_LINE) {
    const long made = ladder::worked_out<ladder::on_device<It, Values, Keys, Sums>, long>("thrust::reduce_by_key", line, [=]() mutable {
        long groups = 0;
        for (long i = 0, n = last - first; i < n; ++i) {
            if (i > 0 && same(ladder::at(first + i - 1), ladder::at(first + i))) {
                ladder::at(sums + groups - 1) = f(ladder::at(sums + groups - 1), ladder::at(values + i));
                continue;
            }
            ladder::at(keys + groups) = ladder::at(first + i);
            ladder::at(sums + groups++) = ladder::at(values + i);
        }
        return groups;
    });
    return {keys + made, sums + made};
}

// ---- sorting ----

template <class It, class Less = less<>> void sort(It first, It last, Less is_less = Less(), LADDER_LINE) {
    if (ladder_in_kernel())
        return ladder::sorted_in_place(0, last - first, [&](long i, long j) { return is_less(ladder::at(first + i), ladder::at(first + j)); },
                                       [&](long i, long j) { ladder::swapped(first, i, j); });
    if constexpr (ladder::on_device<It>) {
        std::vector<ladder::value_of<It>> values(static_cast<std::size_t>(last - first));
        copy(first, last, values.begin(), line);
        std::stable_sort(values.begin(), values.end(), is_less);
        copy(values.begin(), values.end(), first, line);
    } else {
        std::stable_sort(first, last, is_less);
    }
}
template <class It, class Less = less<>> void stable_sort(It first, It last, Less is_less = Less(), LADDER_LINE) { sort(first, last, is_less, line); }
template <class Keys, class Values, class Less = less<>> void sort_by_key(Keys first, Keys last, Values values, Less is_less = Less(), LADDER_LINE) {
    if (ladder_in_kernel())
        return ladder::sorted_in_place(0, last - first, [&](long i, long j) { return is_less(ladder::at(first + i), ladder::at(first + j)); },
                                       [&](long i, long j) { ladder::swapped(first, i, j), ladder::swapped(values, i, j); });
    const auto n = static_cast<std::size_t>(last - first);
    std::vector<ladder::value_of<Keys>> keys(n), sorted_keys(n);
    std::vector<ladder::value_of<Values>> theirs(n), sorted(n);
    copy(first, last, keys.begin(), line);
    copy(values, values + static_cast<std::ptrdiff_t>(n), theirs.begin(), line);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return is_less(keys[a], keys[b]); });
    for (std::size_t i = 0; i < n; ++i) sorted_keys[i] = keys[order[i]], sorted[i] = theirs[order[i]];
    copy(sorted_keys.begin(), sorted_keys.end(), first, line);
    copy(sorted.begin(), sorted.end(), values, line);
}
template <class Keys, class Values, class Less = less<>> void stable_sort_by_key(Keys first, Keys last, Values values, Less is_less = Less(), LADDER_LINE) {
    sort_by_key(first, last, values, is_less, line);
}
template <class It, class Less = less<>> bool is_sorted(It first, It last, Less is_less = Less(), LADDER_LINE) {
    return ladder::worked_out<ladder::on_device<It>, bool>("thrust::is_sorted", line, [=]() mutable {
        for (long i = 1, n = last - first; i < n; ++i)
            if (is_less(ladder::at(first + i), ladder::at(first + i - 1))) return false;
        return true;
    });
}
template <class It> void reverse(It first, It last, LADDER_LINE) {
    const long n = last - first;
    ladder::every<ladder::on_device<It>>("thrust::reverse", line, n / 2, [=](long i) {
        const ladder::value_of<It> kept = ladder::at(first + i);
        ladder::at(first + i) = ladder::at(first + (n - 1 - i)), ladder::at(first + (n - 1 - i)) = kept;
    });
}

LADDER_WITH_POLICY(reduce) LADDER_WITH_POLICY(transform_reduce) LADDER_WITH_POLICY(inner_product) LADDER_WITH_POLICY(count) LADDER_WITH_POLICY(count_if)
LADDER_WITH_POLICY(min_element) LADDER_WITH_POLICY(max_element) LADDER_WITH_POLICY(minmax_element) LADDER_WITH_POLICY(find) LADDER_WITH_POLICY(find_if) LADDER_WITH_POLICY(any_of)
LADDER_WITH_POLICY(all_of) LADDER_WITH_POLICY(none_of) LADDER_WITH_POLICY(equal) LADDER_WITH_POLICY(mismatch)
LADDER_WITH_POLICY(inclusive_scan) LADDER_WITH_POLICY(exclusive_scan)
LADDER_WITH_POLICY(transform_inclusive_scan) LADDER_WITH_POLICY(transform_exclusive_scan) LADDER_WITH_POLICY(adjacent_difference)
LADDER_WITH_POLICY(copy_if) LADDER_WITH_POLICY(remove_if) LADDER_WITH_POLICY(remove) LADDER_WITH_POLICY(unique) LADDER_WITH_POLICY(reduce_by_key)
LADDER_WITH_POLICY(sort) LADDER_WITH_POLICY(stable_sort) LADDER_WITH_POLICY(sort_by_key) LADDER_WITH_POLICY(stable_sort_by_key)
LADDER_WITH_POLICY(is_sorted) LADDER_WITH_POLICY(reverse)

}  // namespace thrust
