// Sobol's quasi-random numbers, of 32 and 64 bits: the next one is the last with one direction number more or less, in the order
// of a Gray code (Antonov and Saleev, 1979). Normal numbers are the inverse of the normal distribution.
#pragma once

#include "random.h"

using curandDirectionVectors32_t = unsigned[32];
using curandDirectionVectors64_t = unsigned long long[64];

struct curandStateSobol32 {
    unsigned i, x, c;
    unsigned direction_vectors[32];
};
using curandStateSobol32_t = curandStateSobol32;
struct curandStateSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
};
using curandStateSobol64_t = curandStateSobol64;

namespace ladder {

LADDER_INLINE double uniform_of_one(unsigned x, double above = 2.3283064365386963e-10) { return x * 2.3283064365386963e-10 + above; }
LADDER_INLINE double uniform_of_one(unsigned long long x) { return (x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2; }
LADDER_INLINE float uniform(unsigned long long x) { return uniform(static_cast<unsigned>(x >> 32)); }
// In the half that has the more digits.
LADDER_INLINE float normal(unsigned x) {
    const bool above = x > 0x80000000u;
    return (above ? 1.4142135f : -1.4142135f) * erfcinvf(2 * uniform(above ? 0xffffffffu - x : x));
}
LADDER_INLINE float normal(unsigned long long x) { return normal(static_cast<unsigned>(x >> 32)); }
LADDER_INLINE double normal_double(unsigned x) {
    const bool above = x > 0x80000000u;
    return (above ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2 * uniform_of_one(above ? 0xffffffffu - x : x, 2.3283064365386963e-10 / 2));
}
LADDER_INLINE double normal_double(unsigned long long x) {
    const unsigned long long most = 0x1fffffffffffff, left = x >> 11;
    const bool above = left > most / 2 + 1;
    return (above ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2 * uniform_of_one((above ? most - left : left) << 11));
}

}  // namespace ladder

#define LADDER_SOBOL(State, Word, bits, count_zeros)                                                                      \
    LADDER_INLINE void skipahead(Word n, State* state) {                                                                  \
        state->i += n;                                                                                                    \
        state->x = state->c;                                                                                              \
        const Word gray = state->i ^ state->i >> 1;                                                                       \
        for (int bit = 0; bit < bits; ++bit)                                                                              \
            if (gray >> bit & 1) state->x ^= state->direction_vectors[bit];                                               \
    }                                                                                                                     \
    LADDER_INLINE void curand_init(Word* direction_vectors, Word offset, State* state, LADDER_LINE) {                     \
        for (int bit = 0; bit < bits; ++bit) state->direction_vectors[bit] = direction_vectors[bit];                      \
        if (!state->direction_vectors[0])                                                                                 \
            ladder_trap("of cuRAND's Sobol numbers the first 400 dimensions are emulated: check this program on a GPU", line); \
        state->i = state->c = 0;                                                                                          \
        skipahead(offset, state);                                                                                         \
    }                                                                                                                     \
    LADDER_INLINE Word curand(State* state) {                                                                             \
        const Word x = state->x;                                                                                          \
        if (const Word unset = ~state->i) state->x = x ^ state->direction_vectors[count_zeros(unset)];                    \
        ++state->i;                                                                                                       \
        return x;                                                                                                         \
    }                                                                                                                     \
    LADDER_INLINE float curand_uniform(State* state) { return ladder::uniform(curand(state)); }                           \
    LADDER_INLINE double curand_uniform_double(State* state) { return ladder::uniform_of_one(curand(state)); }            \
    LADDER_INLINE float curand_normal(State* state) { return ladder::normal(curand(state)); }                             \
    LADDER_INLINE double curand_normal_double(State* state) { return ladder::normal_double(curand(state)); }              \
    LADDER_INLINE float curand_log_normal(State* state, float mean, float deviation) { return expf(mean + deviation * curand_normal(state)); } \
    LADDER_INLINE double curand_log_normal_double(State* state, double mean, double deviation) {                          \
        return exp(mean + deviation * curand_normal_double(state));                                                       \
    }
LADDER_SOBOL(curandStateSobol32, unsigned, 32, __builtin_ctz)
LADDER_SOBOL(curandStateSobol64, unsigned long long, 64, __builtin_ctzll)
#undef LADDER_SOBOL
