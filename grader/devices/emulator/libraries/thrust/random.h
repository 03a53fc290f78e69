// thrust's random numbers: the C++ library's engines, and distributions that take one number of the engine each.
#pragma once

#include <random>

#include "../ladder_more/thrust_orders.h"

namespace thrust {

namespace random {

using std::minstd_rand;
using std::minstd_rand0;
using std::ranlux24;
using std::ranlux48;
using default_random_engine = std::minstd_rand;

template <class T = double> struct uniform_real_distribution {
    T a, b;
    LADDER_INLINE explicit uniform_real_distribution(T a = 0, T b = 1) : a(a), b(b) {}
    template <class Engine> LADDER_INLINE T operator()(Engine& engine) {
        return a + (b - a) * (static_cast<T>(engine() - Engine::min()) / (static_cast<T>(Engine::max() - Engine::min()) + 1));
    }
};
template <class T = int> struct uniform_int_distribution {
    T a, b;
    LADDER_INLINE explicit uniform_int_distribution(T a = 0, T b = std::numeric_limits<T>::max()) : a(a), b(b) {}
    template <class Engine> LADDER_INLINE T operator()(Engine& engine) {
        return static_cast<T>(a + uniform_real_distribution<double>(0, static_cast<double>(b) - a + 1)(engine));
    }
};
using std::normal_distribution;

}  // namespace random

using random::default_random_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

}  // namespace thrust
