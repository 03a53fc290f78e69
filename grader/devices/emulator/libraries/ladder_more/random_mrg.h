// MRG32k3a: L'Ecuyer's two recurrences of three words each ("Good parameters and implementations for combined multiple
// recursive random number generators", 1999), with the places that cuRAND gives to seeds, subsequences and offsets.
#pragma once

#include "random.h"

struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
using curandStateMRG32k3a_t = curandStateMRG32k3a;

namespace ladder::mrg {

constexpr unsigned long long m1 = 4294967087, m2 = 4294944443;
constexpr double to_unit = 2.3283065498378288e-10, to_bits = 1.000000048662;   // cuRAND's own

struct Words { unsigned long long of[3]; };
struct Matrix { unsigned long long of[3][3]; };

inline LADDER_UNSEEN Matrix times(const Matrix& a, const Matrix& b, unsigned long long m) {
    Matrix product{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) product.of[i][j] = (product.of[i][j] + a.of[i][k] * b.of[k][j] % m) % m;
    return product;
}

// 2^log_of_steps steps.
inline LADDER_UNSEEN Matrix steps(Matrix step, int log_of_steps, unsigned long long m) {
    for (int i = 0; i < log_of_steps; ++i) step = times(step, step, m);
    return step;
}
inline LADDER_UNSEEN Words later(Words words, Matrix step, unsigned long long n, unsigned long long m) {
    for (; n; n >>= 1, step = times(step, step, m)) {
        if (!(n & 1)) continue;
        Words next{};
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) next.of[i] = (next.of[i] + step.of[i][k] * words.of[k] % m) % m;
        words = next;
    }
    return words;
}
struct Both { Words first, second; };
// Both words n * 2^log_of_step steps later.
template <int log_of_step> LADDER_UNSEEN Both later(const Both& words, unsigned long long n) {
    static const Matrix first = steps({{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}}, log_of_step, m1);
    static const Matrix second = steps({{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}}, log_of_step, m2);
    return {later(words.first, first, n, m1), later(words.second, second, n, m2)};
}

template <int log_of_step> LADDER_INLINE void skip(curandStateMRG32k3a* state, unsigned long long n) {
    if (n == 0) return;
    const Both now = {{{state->s1[0], state->s1[1], state->s1[2]}}, {{state->s2[0], state->s2[1], state->s2[2]}}}, then = later<log_of_step>(now, n);
    for (int i = 0; i < 3; ++i) state->s1[i] = static_cast<unsigned>(then.first.of[i]), state->s2[i] = static_cast<unsigned>(then.second.of[i]);
}

// The next number: 1 to m1.
LADDER_INLINE double next(curandStateMRG32k3a* state) {
    const unsigned long long p1 = (1403580ull * state->s1[1] + 810728ull * (m1 - state->s1[0])) % m1;
    const unsigned long long p2 = (527612ull * state->s2[2] + 1370589ull * (m2 - state->s2[0])) % m2;
    state->s1[0] = state->s1[1], state->s1[1] = state->s1[2], state->s1[2] = static_cast<unsigned>(p1);
    state->s2[0] = state->s2[1], state->s2[1] = state->s2[2], state->s2[2] = static_cast<unsigned>(p2);
    return static_cast<double>(p1 > p2 ? p1 - p2 : p1 + m1 - p2);
}

}  // namespace ladder::mrg

LADDER_INLINE void skipahead(unsigned long long n, curandStateMRG32k3a* state) { ladder::mrg::skip<0>(state, n); }
LADDER_INLINE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* state) {
    ladder::mrg::skip<76>(state, n & ((1ull << 51) - 1));
}
LADDER_INLINE void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* state) { ladder::mrg::skip<127>(state, n); }
LADDER_INLINE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a* state) {
    using namespace ladder::mrg;
    ladder_random_sequence(seed, subsequence, offset);
    const unsigned long long low = static_cast<unsigned>(seed) ^ 0x55555555u, high = static_cast<unsigned>(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; ++i) {
        state->s1[i] = seed ? static_cast<unsigned>((i == 1 ? high : low) * 12345 % m1) : 12345;
        state->s2[i] = seed ? static_cast<unsigned>((i == 1 ? low : high) * 12345 % m2) : 12345;
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}
LADDER_INLINE unsigned curand(curandStateMRG32k3a* state) { return static_cast<unsigned>(ladder::mrg::next(state) * ladder::mrg::to_bits); }
LADDER_INLINE float curand_uniform(curandStateMRG32k3a* state) { return static_cast<float>(ladder::mrg::next(state) * ladder::mrg::to_unit); }
LADDER_INLINE double curand_uniform_double(curandStateMRG32k3a* state) { return ladder::mrg::next(state) * ladder::mrg::to_unit; }

namespace ladder {

LADDER_INLINE float2 normal_pair(curandStateMRG32k3a* state) {
    const float x = curand_uniform(state), turn = curand_uniform(state) * 6.2831855f;
    const float radius = __builtin_sqrtf(-2.0f * __builtin_logf(x));
    return {__builtin_sinf(turn) * radius, __builtin_cosf(turn) * radius};
}
LADDER_INLINE double2 normal_pair_double(curandStateMRG32k3a* state) {
    const double x = curand_uniform_double(state), half_turns = 2 * curand_uniform_double(state);
    const double radius = __builtin_sqrt(-2.0 * __builtin_log(x));
    return {sin_pi(half_turns) * radius, cos_pi(half_turns) * radius};
}

}  // namespace ladder
