// cuRAND in kernels: XORWOW, Philox4_32_10 and MRG32k3a, with cuRAND's own sequences. XORWOW is Marsaglia's ("Xorshift
// RNGs", 2003), Philox is Salmon's ("Parallel random numbers: as easy as 1, 2, 3", 2011). Normal numbers go through the C
// library's logarithm and sine: their last bits may differ from a GPU's.
#pragma once

#include "ladder_more/random_counts.h"
#include "ladder_more/random_sobol.h"

#define LADDER_PAIRS(State)                                                                        \
    namespace ladder {                                                                             \
    LADDER_INLINE float2 normal_pair(State* state) {                                               \
        const unsigned x = curand(state), y = curand(state);                                       \
        return box_muller(x, y);                                                                   \
    }                                                                                              \
    LADDER_INLINE double2 normal_pair_double(State* state) {                                       \
        const unsigned a = curand(state), b = curand(state), c = curand(state), d = curand(state); \
        return box_muller_double(a, b, c, d);                                                      \
    }                                                                                              \
    }                                                                                              \
    LADDER_INLINE float curand_uniform(State* state) { return ladder::uniform(curand(state)); }
LADDER_PAIRS(curandStateXORWOW)
LADDER_PAIRS(curandStatePhilox4_32_10)
#undef LADDER_PAIRS

#define LADDER_NORMAL(State)                                                                                      \
    LADDER_INLINE float curand_normal(State* state) {                                                             \
        if (state->boxmuller_flag) return state->boxmuller_flag = 0, state->boxmuller_extra;                      \
        const float2 both = ladder::normal_pair(state);                                                           \
        state->boxmuller_extra = both.y;                                                                          \
        state->boxmuller_flag = 1;                                                                                \
        return both.x;                                                                                            \
    }                                                                                                             \
    LADDER_INLINE float2 curand_normal2(State* state) { return ladder::normal_pair(state); }                      \
    LADDER_INLINE float curand_log_normal(State* state, float mean, float deviation) {                            \
        return expf(mean + deviation * curand_normal(state));                                                     \
    }                                                                                                             \
    LADDER_INLINE float2 curand_log_normal2(State* state, float mean, float deviation) {                          \
        const float2 both = ladder::normal_pair(state);                                                           \
        return {expf(mean + deviation * both.x), expf(mean + deviation * both.y)};                                \
    }                                                                                                             \
    LADDER_INLINE double2 curand_normal2_double(State* state) { return ladder::normal_pair_double(state); }       \
    LADDER_INLINE double curand_normal_double(State* state) {                                                     \
        if (state->boxmuller_flag_double) return state->boxmuller_flag_double = 0, state->boxmuller_extra_double; \
        const double2 both = curand_normal2_double(state);                                                        \
        state->boxmuller_extra_double = both.y;                                                                   \
        state->boxmuller_flag_double = 1;                                                                         \
        return both.x;                                                                                            \
    }                                                                                                             \
    LADDER_INLINE double curand_log_normal_double(State* state, double mean, double deviation) {                  \
        return exp(mean + deviation * curand_normal_double(state));                                               \
    }                                                                                                             \
    LADDER_INLINE double2 curand_log_normal2_double(State* state, double mean, double deviation) {                \
        const double2 both = ladder::normal_pair_double(state);                                                   \
        return {exp(mean + deviation * both.x), exp(mean + deviation * both.y)};                                  \
    }                                                                                                             \
    LADDER_INLINE unsigned curand_poisson(State* state, double lambda) { return ladder::poisson(state, lambda); }
LADDER_NORMAL(curandStateXORWOW)
LADDER_NORMAL(curandStatePhilox4_32_10)
LADDER_NORMAL(curandStateMRG32k3a)
#undef LADDER_NORMAL

LADDER_INLINE double curand_uniform_double(curandStateXORWOW* state) {
    const unsigned x = curand(state), y = curand(state);
    return ladder::uniform_double(x, y);
}
LADDER_INLINE double curand_uniform_double(curandStatePhilox4_32_10* state) {
    return ladder::uniform_of_one(curand(state));
}
LADDER_INLINE double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
    const uint4 x = curand4(state);
    return {ladder::uniform_double(x.x, x.y), ladder::uniform_double(x.z, x.w)};
}
LADDER_INLINE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
    const uint4 x = curand4(state);
    return {ladder::uniform(x.x), ladder::uniform(x.y), ladder::uniform(x.z), ladder::uniform(x.w)};
}
LADDER_INLINE float4 curand_normal4(curandStatePhilox4_32_10* state) {
    const uint4 x = curand4(state);
    const float2 a = ladder::box_muller(x.x, x.y), b = ladder::box_muller(x.z, x.w);
    return {a.x, a.y, b.x, b.y};
}

LADDER_INLINE float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float deviation) {
    const float4 n = curand_normal4(state);
    return {expf(mean + deviation * n.x), expf(mean + deviation * n.y), expf(mean + deviation * n.z), expf(mean + deviation * n.w)};
}
LADDER_INLINE uint4 curand_poisson4(curandStatePhilox4_32_10* state, double lambda) {
    const unsigned x = curand_poisson(state, lambda), y = curand_poisson(state, lambda), z = curand_poisson(state, lambda);
    return {x, y, z, curand_poisson(state, lambda)};
}

// Other generators have types, so that a file can name them, and are refused where they begin.
#define LADDER_NO_GENERATOR(name)                                                                                       \
    struct curandState##name { unsigned refused; };                                                                     \
    using curandState##name##_t = curandState##name;                                                                    \
    LADDER_INLINE unsigned curand(curandState##name*, LADDER_LINE) { ladder_trap("cuRAND's " #name " is not emulated: use XORWOW, Philox4_32_10 or MRG32k3a, or check this program on a GPU", line); } \
    template <class A, class B> LADDER_INLINE void curand_init(A, B, curandState##name* s, LADDER_LINE) { curand(s, line); } \
    template <class A, class B, class C> LADDER_INLINE void curand_init(A, B, C, curandState##name* s, LADDER_LINE) { curand(s, line); } \
    LADDER_INLINE float curand_uniform(curandState##name* s) { return static_cast<float>(curand(s)); }                  \
    LADDER_INLINE float curand_normal(curandState##name* s) { return static_cast<float>(curand(s)); }
LADDER_NO_GENERATOR(Mtgp32)
LADDER_NO_GENERATOR(ScrambledSobol32)
LADDER_NO_GENERATOR(ScrambledSobol64)
#undef LADDER_NO_GENERATOR
