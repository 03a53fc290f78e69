// thrust::placeholders: `2 * _1 + _2` is a functor of its two arguments.
#pragma once

#include <type_traits>
#include <utility>

#include "thrust_memory.h"

namespace thrust {
namespace placeholders_ladder {

template <class F> struct Expression {
    F f;
    template <class... A> LADDER_UNSEEN constexpr decltype(auto) operator()(A&&... a) const { return f(a...); }
};
template <int n> struct Argument {
    template <class First, class... A> LADDER_UNSEEN constexpr decltype(auto) operator()(First& first, A&... a) const {
        if constexpr (n == 1) return (first);
        else return Argument<n - 1>()(a...);
    }
};
template <class T> struct Constant {
    T value;
    template <class... A> LADDER_UNSEEN constexpr const T& operator()(A&...) const { return value; }
};

template <class T> constexpr bool is_expression = false;
template <class F> constexpr bool is_expression<Expression<F>> = true;
template <class T> LADDER_UNSEEN constexpr auto part(const T& value) {
    if constexpr (is_expression<T>) return value.f;
    else return Constant<T>{value};
}

#define LADDER_BINARY(name, op)                                                                             \
    template <class X, class Y> struct name {                                                               \
        X x;                                                                                                \
        Y y;                                                                                                \
        template <class... A> LADDER_UNSEEN constexpr auto operator()(A&... a) const { return x(a...) op y(a...); } \
    };                                                                                                      \
    template <class X, class Y, LADDER_IF(is_expression<X> || is_expression<Y>)>                            \
    LADDER_UNSEEN constexpr auto operator op(const X& x, const Y& y) {                                      \
        return Expression<name<decltype(part(x)), decltype(part(y))>>{{part(x), part(y)}};                  \
    }
#define LADDER_UNARY(name, op)                                                                              \
    template <class X> struct name {                                                                        \
        X x;                                                                                                \
        template <class... A> LADDER_UNSEEN constexpr auto operator()(A&... a) const { return op x(a...); } \
    };                                                                                                      \
    template <class X> LADDER_UNSEEN constexpr auto operator op(const Expression<X>& x) { return Expression<name<X>>{{x.f}}; }

LADDER_BINARY(Sum, +) LADDER_BINARY(Difference, -) LADDER_BINARY(Product, *) LADDER_BINARY(Quotient, /) LADDER_BINARY(Rest, %)
LADDER_BINARY(Equal, ==) LADDER_BINARY(Unequal, !=) LADDER_BINARY(Less, <) LADDER_BINARY(More, >) LADDER_BINARY(AtMost, <=) LADDER_BINARY(AtLeast, >=)
LADDER_BINARY(Both, &&) LADDER_BINARY(Either, ||) LADDER_BINARY(And, &) LADDER_BINARY(Or, |) LADDER_BINARY(Xor, ^) LADDER_BINARY(Left, <<) LADDER_BINARY(Right, >>)
LADDER_UNARY(Negative, -) LADDER_UNARY(Not, !) LADDER_UNARY(Flipped, ~)
#undef LADDER_BINARY
#undef LADDER_UNARY

template <int n> using Place = Expression<Argument<n>>;

}  // namespace placeholders_ladder

namespace placeholders {
inline constexpr placeholders_ladder::Place<1> _1{};
inline constexpr placeholders_ladder::Place<2> _2{};
inline constexpr placeholders_ladder::Place<3> _3{};
inline constexpr placeholders_ladder::Place<4> _4{};
inline constexpr placeholders_ladder::Place<5> _5{};
}  // namespace placeholders

}  // namespace thrust
