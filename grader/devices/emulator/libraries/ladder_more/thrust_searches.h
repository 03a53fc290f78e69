// thrust's searches in a sorted range, for one value or for each of a range of them.
#pragma once

#include "thrust_orders.h"

namespace ladder {

// How many elements come before a place, which all others follow.
template <class It, class Before> LADDER_INLINE long how_many(It first, long n, Before is_before) {
    long found = 0;
    while (n > 0) {
        const long half = n / 2;
        if (is_before(at(first + (found + half)))) found += half + 1, n -= half + 1;
        else n = half;
    }
    return found;
}
struct LowerBound {
    template <class It, class T, class Less> LADDER_INLINE long operator()(It first, long n, const T& value, Less is_less) const {
        return how_many(first, n, [&](const auto& each) { return is_less(each, value); });
    }
};
struct UpperBound {
    template <class It, class T, class Less> LADDER_INLINE long operator()(It first, long n, const T& value, Less is_less) const {
        return how_many(first, n, [&](const auto& each) { return !is_less(value, each); });
    }
};
struct IsThere {
    template <class It, class T, class Less> LADDER_INLINE bool operator()(It first, long n, const T& value, Less is_less) const {
        const long place = LowerBound()(first, n, value, is_less);
        return place < n && !is_less(value, at(first + place));
    }
};
template <class Result, class Search, class It, class T, class Less> Result searched(const char* name, It first, It last, const T& value, Less is_less, int line) {
    return worked_out<on_device<It>, Result>(name, line, [=]() { return Search()(first, last - first, value, is_less); });
}
template <class Search, class It, class Values, class Out, class Less>
Out each_searched(const char* name, It first, It last, Values values, Values end, Out out, Less is_less, int line) {
    const long n = last - first;
    every<on_device<It, Values, Out>>(name, line, end - values, [=](long i) { at(out + i) = Search()(first, n, at(values + i), is_less); });
    return out + (end - values);
}

}  // namespace ladder

namespace thrust {

template <class It, class T, class Less = less<>> It lower_bound(It first, It last, const T& value, Less is_less = Less(), LADDER_LINE) {
    return first + ladder::searched<long, ladder::LowerBound>("thrust::lower_bound", first, last, value, is_less, line);
}
template <class It, class T, class Less = less<>> It upper_bound(It first, It last, const T& value, Less is_less = Less(), LADDER_LINE) {
    return first + ladder::searched<long, ladder::UpperBound>("thrust::upper_bound", first, last, value, is_less, line);
}
template <class It, class T, class Less = less<>> bool binary_search(It first, It last, const T& value, Less is_less = Less(), LADDER_LINE) {
    return ladder::searched<bool, ladder::IsThere>("thrust::binary_search", first, last, value, is_less, line);
}
template <class It, class T, class Less = less<>> pair<It, It> equal_range(It first, It last, const T& value, Less is_less = Less(), LADDER_LINE) {
    return {lower_bound(first, last, value, is_less, line), upper_bound(first, last, value, is_less, line)};
}
#define LADDER_SEARCH(name, Search)                                                                                    \
    template <class It, class Values, class Out, class Less = less<>, LADDER_IF(!std::is_same_v<Out, int>)>            \
    Out name(It first, It last, Values values, Values end, Out out, Less is_less = Less(), LADDER_LINE) {              \
        return ladder::each_searched<ladder::Search>("thrust::" #name, first, last, values, end, out, is_less, line);  \
    }
LADDER_SEARCH(lower_bound, LowerBound) LADDER_SEARCH(upper_bound, UpperBound) LADDER_SEARCH(binary_search, IsThere)
#undef LADDER_SEARCH
LADDER_WITH_POLICY(lower_bound) LADDER_WITH_POLICY(upper_bound) LADDER_WITH_POLICY(binary_search) LADDER_WITH_POLICY(equal_range)

}  // namespace thrust
