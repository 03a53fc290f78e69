// thrust's iterators, tuples and functors. `ladder::at(iterator)` is what a kernel sees of an element: a plain reference.
#pragma once

#include "thrust_memory.h"

namespace cuda::std {
template <class... T> struct tuple;   // <cuda/std/tuple>
}

namespace thrust {

// thrust's own are std's.
template <class... T> std::tuple<T...> ladder_tuple(const cuda::std::tuple<T...>& from) {
    return apply([](const auto&... each) { return std::tuple<T...>(each...); }, from);
}

using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;
template <std::size_t I, class T> using tuple_element = std::tuple_element<I, T>;

// Of std's iterators, pointers and those below.
template <class It> struct iterator_value { using type = typename std::iterator_traits<It>::value_type; };
template <class It> struct iterator_pointer { using type = typename std::iterator_traits<It>::pointer; };
template <class It> struct iterator_reference { using type = typename std::iterator_traits<It>::reference; };
template <class It> struct iterator_difference { using type = typename std::iterator_traits<It>::difference_type; };
template <class It> using iterator_pointer_t = typename iterator_pointer<It>::type;
template <class It> using iterator_reference_t = typename iterator_reference<It>::type;
template <class It> using iterator_difference_t = typename iterator_difference<It>::type;

template <class It> __host__ __device__ iterator_difference_t<It> distance(It first, It last) { return std::distance(first, last); }
template <class It, class Distance> __host__ __device__ void advance(It& it, Distance n) { std::advance(it, n); }
template <class It> __host__ __device__ It next(It it, iterator_difference_t<It> n = 1) { return advance(it, n), it; }
template <class It> __host__ __device__ It prev(It it, iterator_difference_t<It> n = 1) { return advance(it, -n), it; }

// What iterators share that compute their element from a number or from other iterators.
template <class Self, class Value> struct ladder_iterator {
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using reference = Value;
    using pointer = void;
    using iterator_category = std::random_access_iterator_tag;
    LADDER_INLINE const Self& self() const { return static_cast<const Self&>(*this); }
    LADDER_INLINE Self& self() { return static_cast<Self&>(*this); }
    LADDER_INLINE Value operator*() const { return self().element(); }
    LADDER_INLINE Value operator[](std::ptrdiff_t n) const { return *(self() + n); }
    LADDER_INLINE Self& operator++() { return self().move(1), self(); }
    LADDER_INLINE Self& operator--() { return self().move(-1), self(); }
    LADDER_INLINE Self& operator+=(std::ptrdiff_t n) { return self().move(n), self(); }
    friend LADDER_INLINE Self operator+(Self a, std::ptrdiff_t n) { return a.move(n), a; }
    friend LADDER_INLINE Self operator-(Self a, std::ptrdiff_t n) { return a.move(-n), a; }
    friend LADDER_INLINE std::ptrdiff_t operator-(const Self& a, const Self& b) { return a.from(b); }
    friend LADDER_INLINE bool operator==(const Self& a, const Self& b) { return a.from(b) == 0; }
    friend LADDER_INLINE bool operator!=(const Self& a, const Self& b) { return a.from(b) != 0; }
};

}  // namespace thrust

namespace ladder {

template <class T> LADDER_INLINE T& at(thrust::device_ptr<T> p) { return *p.get(); }
template <class It> LADDER_INLINE decltype(auto) at(const It& it) { return *it; }

}  // namespace ladder

namespace thrust {

template <class T> struct counting_iterator : ladder_iterator<counting_iterator<T>, T> {
    T value{};
    counting_iterator() = default;
    explicit LADDER_INLINE counting_iterator(T value) : value(value) {}
    LADDER_INLINE T element() const { return value; }
    LADDER_INLINE void move(std::ptrdiff_t n) { value = static_cast<T>(value + n); }
    LADDER_INLINE std::ptrdiff_t from(const counting_iterator& other) const {
        return static_cast<std::ptrdiff_t>(value) - static_cast<std::ptrdiff_t>(other.value);
    }
};
template <class T> counting_iterator<T> make_counting_iterator(T value) { return counting_iterator<T>(value); }

template <class T> struct constant_iterator : ladder_iterator<constant_iterator<T>, T> {
    T value{};
    std::ptrdiff_t place = 0;
    explicit LADDER_INLINE constant_iterator(T value, std::ptrdiff_t place = 0) : value(value), place(place) {}
    LADDER_INLINE T element() const { return value; }
    LADDER_INLINE void move(std::ptrdiff_t n) { place += n; }
    LADDER_INLINE std::ptrdiff_t from(const constant_iterator& other) const { return place - other.place; }
};
template <class T> constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }

// What is written there goes nowhere.
struct ladder_discarded {
    template <class T> LADDER_INLINE const ladder_discarded& operator=(const T&) const { return *this; }
};
template <class = void> struct discard_iterator : ladder_iterator<discard_iterator<>, ladder_discarded> {
    std::ptrdiff_t place = 0;
    LADDER_INLINE discard_iterator(std::ptrdiff_t place = 0) : place(place) {}
    LADDER_INLINE ladder_discarded element() const { return {}; }
    LADDER_INLINE void move(std::ptrdiff_t n) { place += n; }
    LADDER_INLINE std::ptrdiff_t from(const discard_iterator& other) const { return place - other.place; }
};
LADDER_INLINE discard_iterator<> make_discard_iterator(std::ptrdiff_t place = 0) { return {place}; }

template <class F, class It, class Value = std::decay_t<std::invoke_result_t<F, typename std::iterator_traits<It>::value_type>>>
struct transform_iterator : ladder_iterator<transform_iterator<F, It, Value>, Value> {
    It base;
    F f;
    LADDER_INLINE transform_iterator(It base, F f) : base(base), f(f) {}
    LADDER_INLINE Value element() const { return f(ladder::at(base)); }
    LADDER_INLINE void move(std::ptrdiff_t n) { base = base + n; }
    LADDER_INLINE std::ptrdiff_t from(const transform_iterator& other) const { return base - other.base; }
};
template <class It, class F> transform_iterator<F, It> make_transform_iterator(It base, F f) { return {base, f}; }

template <class It> struct reverse_iterator : ladder_iterator<reverse_iterator<It>, decltype(*std::declval<It>())> {
    using value_type = typename std::iterator_traits<It>::value_type;
    It end;
    explicit LADDER_INLINE reverse_iterator(It end) : end(end) {}
    LADDER_INLINE It base() const { return end; }
    LADDER_INLINE decltype(auto) element() const { return *(end + std::ptrdiff_t{-1}); }   // a copy, to host code
    LADDER_INLINE void move(std::ptrdiff_t n) { end = end + -n; }
    LADDER_INLINE std::ptrdiff_t from(const reverse_iterator& other) const { return other.end - end; }
};
template <class It> reverse_iterator<It> make_reverse_iterator(It end) { return reverse_iterator<It>(end); }

}  // namespace thrust

namespace ladder {

template <class It> LADDER_INLINE decltype(auto) at(const thrust::reverse_iterator<It>& it) { return at(it.end + std::ptrdiff_t{-1}); }

}  // namespace ladder

namespace thrust {

// What is written there goes through f first.
template <class F, class It> struct ladder_changed {
    F f;
    It to;
    template <class T> LADDER_INLINE const ladder_changed& operator=(const T& value) const { return ladder::at(to) = f(value), *this; }
};
template <class F, class It> struct transform_output_iterator : ladder_iterator<transform_output_iterator<F, It>, ladder_changed<F, It>> {
    It base;
    F f;
    LADDER_INLINE transform_output_iterator(It base, F f) : base(base), f(f) {}
    LADDER_INLINE ladder_changed<F, It> element() const { return {f, base}; }
    LADDER_INLINE void move(std::ptrdiff_t n) { base = base + n; }
    LADDER_INLINE std::ptrdiff_t from(const transform_output_iterator& other) const { return base - other.base; }
};
template <class It, class F> transform_output_iterator<F, It> make_transform_output_iterator(It base, F f) { return {base, f}; }

template <class Tuple> struct zip_iterator;
template <class... Its>
struct zip_iterator<std::tuple<Its...>>
    : ladder_iterator<zip_iterator<std::tuple<Its...>>, std::tuple<decltype(ladder::at(std::declval<Its>()))...>> {
    using value_type = std::tuple<typename std::iterator_traits<Its>::value_type...>;
    std::tuple<Its...> its;
    explicit LADDER_INLINE zip_iterator(std::tuple<Its...> its) : its(its) {}
    LADDER_INLINE auto element() const {
        return std::apply([](const Its&... each) { return std::tuple<decltype(ladder::at(each))...>(ladder::at(each)...); }, its);
    }
    // Host code, too, may read and write through what these hold.
    LADDER_INLINE auto operator*() const {
        return std::apply([](const Its&... each) { return std::tuple<decltype(*each)...>(*each...); }, its);
    }
    LADDER_INLINE auto operator[](std::ptrdiff_t n) const { return *(*this + n); }
    LADDER_INLINE void move(std::ptrdiff_t n) {
        its = std::apply([n](const Its&... each) { return std::tuple<Its...>(each + n...); }, its);
    }
    LADDER_INLINE std::ptrdiff_t from(const zip_iterator& other) const { return std::get<0>(its) - std::get<0>(other.its); }
};
template <class... Its> zip_iterator<std::tuple<Its...>> make_zip_iterator(std::tuple<Its...> its) { return zip_iterator<std::tuple<Its...>>(its); }
template <class... Its> zip_iterator<std::tuple<Its...>> make_zip_iterator(const cuda::std::tuple<Its...>& its) { return make_zip_iterator(ladder_tuple(its)); }
template <class It, class... More> zip_iterator<std::tuple<It, More...>> make_zip_iterator(It first, More... more) {
    return zip_iterator<std::tuple<It, More...>>(std::make_tuple(first, more...));
}

}  // namespace thrust

namespace ladder {

template <class Tuple> LADDER_INLINE auto at(const thrust::zip_iterator<Tuple>& it) { return it.element(); }

}  // namespace ladder

namespace thrust {

template <class It, class Map>
struct permutation_iterator : ladder_iterator<permutation_iterator<It, Map>, decltype(ladder::at(std::declval<It>()))> {
    using value_type = typename std::iterator_traits<It>::value_type;
    It base;
    Map map;
    LADDER_INLINE permutation_iterator(It base, Map map) : base(base), map(map) {}
    LADDER_INLINE decltype(auto) element() const { return ladder::at(base + static_cast<std::ptrdiff_t>(ladder::at(map))); }
    LADDER_INLINE void move(std::ptrdiff_t n) { map = map + n; }
    LADDER_INLINE std::ptrdiff_t from(const permutation_iterator& other) const { return map - other.map; }
};
template <class It, class Map> permutation_iterator<It, Map> make_permutation_iterator(It base, Map map) { return {base, map}; }

// ---- functors ----

// A functor of several arguments as one of a tuple's elements.
template <class F> struct zip_function {
    F f;
    explicit LADDER_INLINE zip_function(F f) : f(f) {}
    template <class Tuple> LADDER_INLINE decltype(auto) operator()(Tuple&& elements) const { return std::apply(f, static_cast<Tuple&&>(elements)); }
};
template <class F> zip_function<F> make_zip_function(F f) { return zip_function<F>(f); }

// What functors were derived from up to CUDA 12.
template <class A, class R> struct unary_function { using argument_type = A; using result_type = R; };
template <class A, class B, class R> struct binary_function {
    using first_argument_type = A;
    using second_argument_type = B;
    using result_type = R;
};


#define LADDER_FUNCTOR(name, expression)                                                       \
    template <class T = void> struct name {                                                    \
        using result_type = T;                                                                 \
        LADDER_INLINE constexpr auto operator()(const T& a, const T& b) const { return expression; } \
    };                                                                                         \
    template <> struct name<void> {                                                            \
        template <class A, class B> LADDER_INLINE constexpr auto operator()(const A& a, const B& b) const { return expression; } \
    };
LADDER_FUNCTOR(plus, a + b) LADDER_FUNCTOR(minus, a - b) LADDER_FUNCTOR(multiplies, a * b) LADDER_FUNCTOR(divides, a / b)
LADDER_FUNCTOR(modulus, a % b) LADDER_FUNCTOR(maximum, a < b ? b : a) LADDER_FUNCTOR(minimum, b < a ? b : a)
LADDER_FUNCTOR(less, a < b) LADDER_FUNCTOR(greater, b < a) LADDER_FUNCTOR(less_equal, !(b < a)) LADDER_FUNCTOR(greater_equal, !(a < b))
LADDER_FUNCTOR(equal_to, a == b) LADDER_FUNCTOR(not_equal_to, !(a == b)) LADDER_FUNCTOR(logical_and, a && b) LADDER_FUNCTOR(logical_or, a || b)
LADDER_FUNCTOR(bit_and, a & b) LADDER_FUNCTOR(bit_or, a | b) LADDER_FUNCTOR(bit_xor, a ^ b)
#undef LADDER_FUNCTOR
#define LADDER_FUNCTOR(name, expression) \
    template <class T = void> struct name { \
        template <class A> LADDER_INLINE constexpr auto operator()(const A& a) const { return expression; } \
    };
LADDER_FUNCTOR(negate, -a) LADDER_FUNCTOR(identity, a) LADDER_FUNCTOR(square, a * a) LADDER_FUNCTOR(logical_not, !a)
#undef LADDER_FUNCTOR

// Of two values; of equal ones the first.
template <class T> LADDER_INLINE constexpr T min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> LADDER_INLINE constexpr T max(const T& a, const T& b) { return a < b ? b : a; }
template <class T, class Less> LADDER_INLINE constexpr T min(const T& a, const T& b, Less less) { return less(b, a) ? b : a; }
template <class T, class Less> LADDER_INLINE constexpr T max(const T& a, const T& b, Less less) { return less(a, b) ? b : a; }

}  // namespace thrust
