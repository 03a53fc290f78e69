// Sobol's quasi-random numbers, of 32 bits: the next one is the last with one direction number more or less, in the order of a
// Gray code (Antonov and Saleev, 1979). Normal numbers are the inverse of the normal distribution.
#pragma once

#include "random.h"

using curandDirectionVectors32_t = unsigned[32];

struct curandStateSobol32 {
    unsigned i, x, c;
    unsigned direction_vectors[32];
};
using curandStateSobol32_t = curandStateSobol32;

LADDER_INLINE void skipahead(unsigned n, curandStateSobol32* state) {
    state->i += n;
    state->x = state->c;
    const unsigned gray = state->i ^ state->i >> 1;
    for (int bit = 0; bit < 32; ++bit)
        if (gray >> bit & 1) state->x ^= state->direction_vectors[bit];
}
LADDER_INLINE void curand_init(const unsigned* direction_vectors, unsigned offset, curandStateSobol32* state, LADDER_LINE) {
    for (int bit = 0; bit < 32; ++bit) state->direction_vectors[bit] = direction_vectors[bit];
    if (!state->direction_vectors[0]) ladder_trap("of cuRAND's Sobol numbers the first 400 dimensions are emulated: check this program on a GPU", line);
    state->i = state->c = 0;
    skipahead(offset, state);
}
LADDER_INLINE unsigned curand(curandStateSobol32* state) {
    const unsigned x = state->x;
    if (const unsigned unset = ~state->i) state->x = x ^ state->direction_vectors[__builtin_ctz(unset)];
    ++state->i;
    return x;
}

namespace ladder {

LADDER_INLINE double uniform_of_one(unsigned x, double above = 2.3283064365386963e-10) { return x * 2.3283064365386963e-10 + above; }
// In the half that has the more digits.
LADDER_INLINE float normal(unsigned x) {
    const bool above = x > 0x80000000u;
    return (above ? -1.4142135f : 1.4142135f) * -erfcinvf(2 * uniform(above ? 0xffffffffu - x : x));
}
LADDER_INLINE double normal_double(unsigned x) {
    const bool above = x > 0x80000000u;
    return (above ? -1.4142135623730951 : 1.4142135623730951) * -erfcinv(2 * uniform_of_one(above ? 0xffffffffu - x : x, 2.3283064365386963e-10 / 2));
}

}  // namespace ladder

LADDER_INLINE float curand_uniform(curandStateSobol32* state) { return ladder::uniform(curand(state)); }
LADDER_INLINE double curand_uniform_double(curandStateSobol32* state) { return ladder::uniform_of_one(curand(state)); }
LADDER_INLINE float curand_normal(curandStateSobol32* state) { return ladder::normal(curand(state)); }
LADDER_INLINE double curand_normal_double(curandStateSobol32* state) { return ladder::normal_double(curand(state)); }
LADDER_INLINE float curand_log_normal(curandStateSobol32* state, float mean, float deviation) { return expf(mean + deviation * curand_normal(state)); }
LADDER_INLINE double curand_log_normal_double(curandStateSobol32* state, double mean, double deviation) {
    return exp(mean + deviation * curand_normal_double(state));
}
