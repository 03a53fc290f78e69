// thrust's random numbers: its engines, and distributions that take one number of the engine each.
#pragma once

#include <cmath>
#include <limits>

#include "../ladder_more/thrust_engines.h"
#include "../ladder_more/thrust_orders.h"

namespace thrust {

namespace random {

// A distribution of two numbers, by default 0 and `upper`. Its own operator() takes the numbers of one call in their place.
#define LADDER_DISTRIBUTION(name, T, upper, a, b, least, most)                                               \
public:                                                                                                      \
    using result_type = T;                                                                                   \
    using param_type = thrust::pair<T, T>;                                                                   \
    LADDER_INLINE explicit name(T x = 0, T y = upper)  : its_(x, y) {}                                       \
    LADDER_INLINE explicit name(const param_type& its) : its_(its) {}                                        \
    LADDER_INLINE void reset() {}                                                                            \
    template <class Engine> LADDER_INLINE T operator()(Engine& engine) { return (*this)(engine, its_); }     \
    LADDER_INLINE T a() const { return its_.first; }                                                         \
    LADDER_INLINE T b() const { return its_.second; }                                                        \
    LADDER_INLINE T min() const { return least; }                                                            \
    LADDER_INLINE T max() const { return most; }                                                             \
    LADDER_INLINE param_type param() const { return its_; }                                                  \
    LADDER_INLINE void param(const param_type& its) { its_ = its; }                                          \
    LADDER_INLINE friend bool operator==(const name& x, const name& y) { return x.its_ == y.its_; }          \
    LADDER_INLINE friend bool operator!=(const name& x, const name& y) { return !(x == y); }                 \
    friend std::ostream& operator<<(std::ostream& to, const name& d) { return to << d.a() << ' ' << d.b(); } \
                                                                                                             \
private:                                                                                                     \
    param_type its_;

template <class T = double> class uniform_real_distribution {
    LADDER_DISTRIBUTION(uniform_real_distribution, T, 1, a, b, a(), b())

public:
    template <class Engine> LADDER_INLINE T operator()(Engine& engine, const param_type& its) {
        const T part = static_cast<T>(engine() - Engine::min) / (T(1) + static_cast<T>(Engine::max - Engine::min));
        return part * (its.second - its.first) + its.first;
    }
};
template <class T = int> class uniform_int_distribution {
    LADDER_DISTRIBUTION(uniform_int_distribution, T, std::numeric_limits<T>::max(), a, b, a(), b())

public:
    template <class Engine> LADDER_INLINE T operator()(Engine& engine, const param_type& its) {
        uniform_real_distribution<double> real(static_cast<double>(its.first), static_cast<double>(its.second) + 1);
        return static_cast<T>(real(engine));
    }
};
template <class T = double> class normal_distribution {
    LADDER_DISTRIBUTION(normal_distribution, T, 1, mean, stddev, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max())

public:
    template <class Engine> LADDER_INLINE T operator()(Engine& engine, const param_type& its) {
        using UInt = typename Engine::result_type;
        constexpr UInt range = Engine::max - Engine::min;
        constexpr T scale = static_cast<T>(1. / static_cast<double>(range));
        UInt u = engine() - Engine::min;
        const bool above = u > range / 2;
        if (above) u = range - u;
        const T p = static_cast<T>(u) * scale + scale / 2, root = static_cast<T>(above ? 1.4142135623730951 : -1.4142135623730951);
        return its.first + its.second * root * erfcinv(2 * p);
    }
};
#undef LADDER_DISTRIBUTION

}  // namespace random

using random::default_random_engine;
using random::discard_block_engine;
using random::linear_congruential_engine;
using random::linear_feedback_shift_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::ranlux24;
using random::ranlux48;
using random::subtract_with_carry_engine;
using random::taus88;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
using random::xor_combine_engine;

}  // namespace thrust
