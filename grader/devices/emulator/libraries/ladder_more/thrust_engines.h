// thrust's engines, with the numbers that thrust draws. Unlike the C++ library's, their `min` and `max` are constants.
#pragma once

#include <cstdint>
#include <ostream>

#include "refused.h"

namespace thrust::random {

// What all have: they go on by numbers that they throw away, are compared, and are written as their state.
#define LADDER_ENGINE(name)                                                                             \
    LADDER_INLINE void discard(unsigned long long numbers) {                                            \
        while (numbers--) (*this)();                                                                    \
    }                                                                                                   \
    LADDER_INLINE friend bool operator==(const name& one, const name& two) { return one.equals(two); }  \
    LADDER_INLINE friend bool operator!=(const name& one, const name& two) { return !one.equals(two); } \
    friend std::ostream& operator<<(std::ostream& to, const name& engine) { return engine.write(to), to; }

template <class UInt, UInt a, UInt c, UInt m> class linear_congruential_engine {
public:
    using result_type = UInt;
    static constexpr UInt multiplier = a, increment = c, modulus = m, min = c == 0 ? 1 : 0, max = m - 1, default_seed = 1;
    LADDER_INLINE explicit linear_congruential_engine(UInt s = default_seed) { seed(s); }
    LADDER_INLINE void seed(UInt s = default_seed) { x_ = c % m == 0 && s % m == 0 ? 1 : s % m; }
    // By Schrage's method ("A more portable Fortran random number generator", 1979), also where m % a is too large for it.
    LADDER_INLINE UInt operator()() {
        if constexpr (m == 0) return x_ = a * x_ + c;
        else {
            const UInt first = a * (x_ % (m / a)), second = m % a * (x_ / (m / a));
            x_ = first >= second ? first - second : m - second + first;
            return x_ = m - x_ > c ? x_ + c : c - (m - x_);
        }
    }
    LADDER_ENGINE(linear_congruential_engine)

private:
    LADDER_INLINE bool equals(const linear_congruential_engine& other) const { return x_ == other.x_; }
    void write(std::ostream& to) const { to << x_; }
    UInt x_;
};

template <class UInt, std::size_t w, std::size_t k, std::size_t q, std::size_t s> class linear_feedback_shift_engine {
public:
    using result_type = UInt;
    static constexpr std::size_t word_size = w, exponent1 = k, exponent2 = q, step_size = s;
    static constexpr UInt wordmask = (~UInt(0) >> (8 * sizeof(UInt) - w)) & ~UInt(1);   // thrust's own: without the lowest bit
    static constexpr UInt min = 0, max = wordmask, default_seed = 341;
    LADDER_INLINE explicit linear_feedback_shift_engine(UInt s0 = default_seed) : x_(s0) {}
    LADDER_INLINE void seed(UInt s0 = default_seed) { x_ = s0; }
    LADDER_INLINE UInt operator()() {
        const UInt fed = ((x_ << q ^ x_) & wordmask) >> (k - s), kept = ~UInt(0) << (w - k) & wordmask;
        return x_ = (x_ & kept) << s ^ fed;
    }
    LADDER_ENGINE(linear_feedback_shift_engine)

private:
    LADDER_INLINE bool equals(const linear_feedback_shift_engine& other) const { return x_ == other.x_; }
    void write(std::ostream& to) const { to << x_; }
    UInt x_;
};

template <class UInt, std::size_t w, std::size_t s, std::size_t r> class subtract_with_carry_engine {
public:
    using result_type = UInt;
    static constexpr std::size_t word_size = w, short_lag = s, long_lag = r;
    static constexpr UInt min = 0, max = (UInt(1) << w) - 1, default_seed = 19780503;
    LADDER_INLINE explicit subtract_with_carry_engine(UInt value = default_seed) { seed(value); }
    LADDER_INLINE void seed(UInt value = default_seed) {
        linear_congruential_engine<UInt, 40014u, 0u, 2147483563u> e(value == 0 ? UInt(default_seed) : value);
        for (UInt& x : x_) x = e() & max;
        carry_ = x_[r - 1] == 0;
        at_ = 0;
    }
    LADDER_INLINE UInt operator()() {
        const UInt earlier = x_[at_ < s ? at_ + r - s : at_ - s], own = x_[at_] + carry_;
        carry_ = earlier < own;
        const UInt next = x_[at_] = (earlier - own) & max;
        at_ = at_ + 1 == r ? 0 : at_ + 1;
        return next;
    }
    LADDER_ENGINE(subtract_with_carry_engine)

private:
    LADDER_INLINE bool equals(const subtract_with_carry_engine& other) const {
        bool same = carry_ == other.carry_;
        for (std::size_t i = 0; i < r; ++i) same = same && x_[(i + at_) % r] == other.x_[(i + other.at_) % r];
        return same;
    }
    void write(std::ostream& to) const {
        for (std::size_t i = 0; i < r; ++i) to << x_[(i + at_) % r] << ' ';
        to << carry_;
    }
    UInt x_[r], carry_;
    std::size_t at_;
};

// Of `p` numbers in a row the first `r`.
template <class Engine, std::size_t p, std::size_t r> class discard_block_engine {
public:
    using base_type = Engine;
    using result_type = typename Engine::result_type;
    static constexpr std::size_t block_size = p, used_block = r;
    static constexpr result_type min = Engine::min, max = Engine::max;
    LADDER_INLINE discard_block_engine() {}
    LADDER_INLINE explicit discard_block_engine(result_type s) : engine_(s) {}
    LADDER_INLINE explicit discard_block_engine(const Engine& engine) : engine_(engine) {}
    LADDER_INLINE void seed() { engine_.seed(), used_ = 0; }
    LADDER_INLINE void seed(result_type s) { engine_.seed(s), used_ = 0; }
    LADDER_INLINE const Engine& base() const { return engine_; }
    LADDER_INLINE result_type operator()() {
        if (used_ >= r) engine_.discard(p - used_), used_ = 0;
        ++used_;
        return engine_();
    }
    LADDER_ENGINE(discard_block_engine)

private:
    LADDER_INLINE bool equals(const discard_block_engine& other) const { return engine_ == other.engine_ && used_ == other.used_; }
    void write(std::ostream& to) const { to << engine_ << ' ' << used_; }
    Engine engine_;
    unsigned used_ = 0;
};

template <class A, std::size_t a, class B, std::size_t b = 0> class xor_combine_engine {
public:
    using base1_type = A;
    using base2_type = B;
    using result_type = std::conditional_t<(sizeof(typename A::result_type) < sizeof(typename B::result_type)), typename B::result_type, typename A::result_type>;
    static constexpr std::size_t shift1 = a, shift2 = b;
    static constexpr result_type min = 0;
    // The largest number that bits as high as those of both can have.
    static constexpr result_type max = [] {
        result_type all = ((A::max - A::min) << a) | ((B::max - B::min) << b);
        for (unsigned i = 1; i < 8 * sizeof all; i *= 2) all |= all >> i;
        return all;
    }();
    LADDER_INLINE xor_combine_engine() {}
    LADDER_INLINE explicit xor_combine_engine(result_type s) : a_(s), b_(s) {}
    LADDER_INLINE xor_combine_engine(const A& first, const B& second) : a_(first), b_(second) {}
    LADDER_INLINE void seed() { a_.seed(), b_.seed(); }
    LADDER_INLINE void seed(result_type s) { a_.seed(s), b_.seed(s); }
    LADDER_INLINE const A& base1() const { return a_; }
    LADDER_INLINE const B& base2() const { return b_; }
    LADDER_INLINE result_type operator()() {
        const result_type first = (a_() - A::min) << a, second = (b_() - B::min) << b;
        return first ^ second;
    }
    LADDER_ENGINE(xor_combine_engine)

private:
    LADDER_INLINE bool equals(const xor_combine_engine& other) const { return a_ == other.a_ && b_ == other.b_; }
    void write(std::ostream& to) const { to << a_ << ' ' << b_; }
    A a_;
    B b_;
};
#undef LADDER_ENGINE

using minstd_rand0 = linear_congruential_engine<std::uint32_t, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>;
using ranlux24_base = subtract_with_carry_engine<std::uint32_t, 24, 10, 24>;
using ranlux48_base = subtract_with_carry_engine<std::uint64_t, 48, 5, 12>;
using ranlux24 = discard_block_engine<ranlux24_base, 223, 23>;
using ranlux48 = discard_block_engine<ranlux48_base, 389, 11>;
using taus88 = xor_combine_engine<linear_feedback_shift_engine<std::uint32_t, 32, 31, 13, 12>, 0,
                                  xor_combine_engine<linear_feedback_shift_engine<std::uint32_t, 32, 29, 2, 4>, 0,
                                                     linear_feedback_shift_engine<std::uint32_t, 32, 28, 3, 17>, 0>, 0>;
using default_random_engine = minstd_rand;

}  // namespace thrust::random
