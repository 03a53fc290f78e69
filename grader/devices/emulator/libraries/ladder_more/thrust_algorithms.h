// thrust's algorithms that do an element at a time, in any order: on the device, as kernels.
#pragma once

#include <algorithm>

#include "../thrust/execution_policy.h"

namespace ladder {

template <bool device, class F> LADDER_UNSEEN void every(const char* name, int line, long n, F f) {
    if constexpr (device) {
        if (!works_here()) {
            each(name, line_of_call(line), chosen_policy().stream, n, f);
            if (chosen_policy().waits) ladder_host_waits(chosen_policy().stream);
            return;
        }
    }
    for (long i = 0; i < n; ++i) f(i);
}
template <bool device, class T, class F> LADDER_UNSEEN T worked_out(const char* name, int line, F f) {
    if constexpr (device) {
        if (!works_here()) return computed<T>(name, line_of_call(line), chosen_policy().stream, f);
    }
    return f();
}
template <class It> using value_of = typename std::iterator_traits<It>::value_type;
// Whether an iterator has its elements in any order: a list's goes step by step, as do a stream's and a back_inserter.
template <class It> constexpr bool jumps = std::is_base_of_v<std::random_access_iterator_tag, typename std::iterator_traits<It>::iterator_category>;

}  // namespace ladder

// The form with a policy first.
#define LADDER_WITH_POLICY(name) LADDER_WITH(thrust::ladder_on_device, name) LADDER_WITH(thrust::ladder_on_host, name)
// Not looked up by its arguments: std has these names, too.
#define LADDER_WITH(P, name)                                                                                        \
    template <class... A> auto name(const ladder::Policy<P>& policy, A... a) {                                      \
        const ladder::Chosen chosen(policy.chosen, policy.line);                                                    \
        using Result = decltype(thrust::name(ladder::placed(policy.chosen, a)...));                                 \
        if constexpr (std::is_void_v<Result>) thrust::name(ladder::placed(policy.chosen, a)...);                    \
        else return ladder::replaced<(std::is_pointer_v<A> || ...)>(thrust::name(ladder::placed(policy.chosen, a)...)); \
    }

namespace thrust {

template <class It, class F> It for_each(It first, It last, F f, LADDER_LINE) {
    ladder::every<ladder::on_device<It>>("thrust::for_each", line, last - first, [=](long i) mutable { f(ladder::at(first + i)); });
    return last;
}
template <class It, class F> It for_each_n(It first, long n, F f, LADDER_LINE) { return for_each(first, first + n, f, line); }

template <class It, class Out, class F> Out transform(It first, It last, Out out, F f, LADDER_LINE) {
    ladder::every<ladder::on_device<It, Out>>("thrust::transform", line, last - first,
                                              [=](long i) mutable { ladder::at(out + i) = f(ladder::at(first + i)); });
    return out + (last - first);
}
template <class It, class Other, class Out, class F, LADDER_IF(!std::is_same_v<F, int>)>
Out transform(It first, It last, Other other, Out out, F f, LADDER_LINE) {
    ladder::every<ladder::on_device<It, Other, Out>>("thrust::transform", line, last - first, [=](long i) mutable {
        ladder::at(out + i) = f(ladder::at(first + i), ladder::at(other + i));
    });
    return out + (last - first);
}
template <class It, class Out, class F, class Is> Out transform_if(It first, It last, Out out, F f, Is is, LADDER_LINE) {
    ladder::every<ladder::on_device<It, Out>>("thrust::transform_if", line, last - first, [=](long i) mutable {
        if (is(ladder::at(first + i))) ladder::at(out + i) = f(ladder::at(first + i));
    });
    return out + (last - first);
}
// By what a second range, the stencil, has at the same places.
template <class It, class Stencil, class Out, class F, class Is>
Out transform_if(It first, It last, Stencil stencil, Out out, F f, Is is, LADDER_LINE) {
    ladder::every<ladder::on_device<It, Stencil, Out>>("thrust::transform_if", line, last - first, [=](long i) mutable {
        if (is(ladder::at(stencil + i))) ladder::at(out + i) = f(ladder::at(first + i));
    });
    return out + (last - first);
}
template <class It, class Other, class Stencil, class Out, class F, class Is>
Out transform_if(It first, It last, Other other, Stencil stencil, Out out, F f, Is is, LADDER_LINE) {
    ladder::every<ladder::on_device<It, Other, Stencil, Out>>("thrust::transform_if", line, last - first, [=](long i) mutable {
        if (is(ladder::at(stencil + i))) ladder::at(out + i) = f(ladder::at(first + i), ladder::at(other + i));
    });
    return out + (last - first);
}
template <class It, class T> void fill(It first, It last, const T& value, LADDER_LINE) {
    ladder::every<ladder::on_device<It>>("thrust::fill", line, last - first, [=](long i) { ladder::at(first + i) = value; });
}
template <class It, class T> It fill_n(It first, long n, const T& value, LADDER_LINE) { return fill(first, first + n, value, line), first + n; }
template <class It, class T = ladder::value_of<It>, class S = T> void sequence(It first, It last, T start = T(0), S step = S(1), LADDER_LINE) {
    ladder::every<ladder::on_device<It>>("thrust::sequence", line, last - first,
                                         [=](long i) { ladder::at(first + i) = static_cast<ladder::value_of<It>>(start + step * static_cast<S>(i)); });
}
template <class It, class F> void tabulate(It first, It last, F f, LADDER_LINE) {
    ladder::every<ladder::on_device<It>>("thrust::tabulate", line, last - first, [=](long i) mutable { ladder::at(first + i) = f(i); });
}
// The generator is the host's, as rand() is; one for the device is called there, once for each element.
template <class It, class F> void generate(It first, It last, F f, LADDER_LINE) {
    if constexpr (ladder::on_device<It> && !std::is_pointer_v<F>)
        ladder::every<true>("thrust::generate", line, last - first, [=](long i) mutable { ladder::at(first + i) = f(); });
    else
        for (; first != last; ++first) *first = f();
}
template <class It, class Is, class T> void replace_if(It first, It last, Is is, const T& value, LADDER_LINE) {
    ladder::every<ladder::on_device<It>>("thrust::replace_if", line, last - first, [=](long i) mutable {
        if (is(ladder::at(first + i))) ladder::at(first + i) = value;
    });
}
template <class It, class T> void replace(It first, It last, const T& old, const T& value, LADDER_LINE) {
    replace_if(first, last, [=](const T& each) { return each == old; }, value, line);
}
template <class Map, class It, class Out> Out gather(Map first, Map last, It from, Out out, LADDER_LINE) {
    ladder::every<ladder::on_device<Map, It, Out>>("thrust::gather", line, last - first,
                                                   [=](long i) { ladder::at(out + i) = ladder::at(from + static_cast<std::ptrdiff_t>(ladder::at(first + i))); });
    return out + (last - first);
}
template <class It, class Map, class Out> void scatter(It first, It last, Map map, Out out, LADDER_LINE) {
    ladder::every<ladder::on_device<It, Map, Out>>("thrust::scatter", line, last - first,
                                                   [=](long i) { ladder::at(out + static_cast<std::ptrdiff_t>(ladder::at(map + i))) = ladder::at(first + i); });
}

}  // namespace thrust

namespace ladder {

// Between n values of the host's and n elements on the device. A pointer's are copied; others, as of a zip_iterator, by a kernel
// that has the values beside them.
template <class It> constexpr bool is_plain = std::is_same_v<It, thrust::device_ptr<value_of<It>>> || std::is_same_v<It, thrust::device_ptr<const value_of<It>>>;
template <class It> void bring(value_of<It>* to, It first, long n, int line) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(value_of<It>);
    if constexpr (is_plain<It>) cudaMemcpy(to, first.get(), bytes, cudaMemcpyDeviceToHost, line);
    else {
        void* place = nullptr;
        ladder_malloc(&place, bytes, line);
        auto* const beside = static_cast<value_of<It>*>(place);
        every<true>("thrust::copy", line, n, [=](long i) { beside[i] = at(first + i); });
        cudaMemcpy(to, beside, bytes, cudaMemcpyDeviceToHost, line);
        ladder_free(place, line);
    }
}
template <class Out> void take(Out out, const value_of<Out>* from, long n, int line) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(value_of<Out>);
    if constexpr (is_plain<Out>) cudaMemcpy(out.get(), from, bytes, cudaMemcpyHostToDevice, line);
    else {
        void* place = nullptr;
        ladder_malloc(&place, bytes, line);
        const auto* const beside = static_cast<const value_of<Out>*>(place);
        cudaMemcpy(place, from, bytes, cudaMemcpyHostToDevice, line);
        every<true>("thrust::copy", line, n, [=](long i) { at(out + i) = beside[i]; });
        ladder_host_waits(chosen_policy().stream);
        ladder_free(place, line);
    }
}

}  // namespace ladder

namespace thrust {

// Between host and device an element is copied as it is; on one side it is assigned.
template <class It, class Out, LADDER_IF(ladder::jumps<It> && ladder::jumps<Out>)> Out copy(It first, It last, Out out, LADDER_LINE) {
    constexpr bool from = ladder::on_device<It>, to = ladder::on_device<Out>;
    const long n = last - first;
    const auto each = [=](long i) { ladder::at(out + i) = ladder::at(first + i); };
    if constexpr (from != to && (ladder::is_universal<It> || ladder::is_universal<Out>)) {
        if (!ladder::works_here()) ladder_host_waits(ladder::chosen_policy().stream);
        ladder::every<false>("thrust::copy", line, n, each);
    } else if constexpr (from == to) {
        ladder::every<from>("thrust::copy", line, n, each);
    } else if (ladder::works_here()) {
        ladder::every<false>("thrust::copy", line, n, each);
    } else if constexpr (from) {
        std::vector<ladder::value_of<It>> values(static_cast<std::size_t>(n));
        if (n) ladder::bring(values.data(), first, n, ladder::line_of_call(line));
        std::copy(values.begin(), values.end(), out);
    } else {
        const std::vector<ladder::value_of<Out>> values(first, last);
        if (n) ladder::take(out, values.data(), n, ladder::line_of_call(line));
    }
    return out + n;
}
template <class It, class Out, LADDER_IF(!(ladder::jumps<It> && ladder::jumps<Out>))> Out copy(It first, It last, Out out, LADDER_LINE) {
    if constexpr (ladder::jumps<Out>) {
        const std::vector<ladder::value_of<It>> values(first, last);
        return copy(values.begin(), values.end(), out, line);
    } else if constexpr (ladder::jumps<It>) {
        std::vector<ladder::value_of<It>> values(static_cast<std::size_t>(last - first));
        copy(first, last, values.begin(), line);
        return std::copy(values.begin(), values.end(), out);
    } else {
        return std::copy(first, last, out);
    }
}
template <class It, class Out> Out copy_n(It first, long n, Out out, LADDER_LINE) { return copy(first, first + n, out, line); }
template <class It, class Other> Other swap_ranges(It first, It last, Other other, LADDER_LINE) {
    ladder::every<ladder::on_device<It>>("thrust::swap_ranges", line, last - first, [=](long i) {
        const auto kept = ladder::at(first + i);
        ladder::at(first + i) = ladder::at(other + i), ladder::at(other + i) = kept;
    });
    return other + (last - first);
}

LADDER_WITH_POLICY(for_each) LADDER_WITH_POLICY(for_each_n) LADDER_WITH_POLICY(transform) LADDER_WITH_POLICY(transform_if) LADDER_WITH_POLICY(fill)
LADDER_WITH_POLICY(fill_n) LADDER_WITH_POLICY(sequence) LADDER_WITH_POLICY(tabulate) LADDER_WITH_POLICY(generate) LADDER_WITH_POLICY(replace_if)
LADDER_WITH_POLICY(replace) LADDER_WITH_POLICY(gather) LADDER_WITH_POLICY(scatter) LADDER_WITH_POLICY(copy) LADDER_WITH_POLICY(copy_n)
LADDER_WITH_POLICY(swap_ranges)

}  // namespace thrust
