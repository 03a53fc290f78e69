// The two generators: their states, their steps, and whole numbers made into real ones.
#pragma once

#include "cuda_runtime.h"

struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

extern "C" {
// Advances the five words of XORWOW's shift register by steps * 2^log_of_step (runtime/random.cpp).
LADDER_CALL void ladder_xorwow_skip(unsigned* words, unsigned long long steps, int log_of_step);
LADDER_CALL void ladder_random_sequence(unsigned long long seed, unsigned long long subsequence, unsigned long long offset);   // a thread begins it
}

namespace ladder {

LADDER_INLINE float uniform(unsigned x) { return static_cast<float>(x) * 2.3283064e-10f + 2.3283064e-10f / 2; }
inline LADDER_UNSEEN double uniform_double(unsigned x, unsigned y) {
    const auto both = static_cast<unsigned long long>(x) ^ static_cast<unsigned long long>(y) << 21;
    return static_cast<double>(both) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
inline LADDER_UNSEEN float2 box_muller(unsigned x, unsigned y) {
    const float turn = static_cast<float>(y) * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2;
    const float radius = __builtin_sqrtf(-2.0f * __builtin_logf(uniform(x)));
    return {__builtin_sinf(turn) * radius, __builtin_cosf(turn) * radius};
}
inline LADDER_UNSEEN double2 box_muller_double(unsigned a, unsigned b, unsigned c, unsigned d) {
    const double half_turns = 2 * uniform_double(c, d), radius = __builtin_sqrt(-2.0 * __builtin_log(uniform_double(a, b)));
    return {sin_pi(half_turns) * radius, cos_pi(half_turns) * radius};
}

struct XorwowWords { unsigned v[5]; };
inline LADDER_UNSEEN XorwowWords skipped(XorwowWords words, unsigned long long subsequence, unsigned long long offset) {
    if (subsequence) ladder_xorwow_skip(words.v, subsequence, 67);
    if (offset) ladder_xorwow_skip(words.v, offset, 0);
    return words;
}

inline LADDER_UNSEEN uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const auto a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
        counter = {static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b), static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y,
                   static_cast<unsigned>(a)};
        key = {key.x + 0x9E3779B9u, key.y + 0xBB67AE85u};
    }
    return counter;
}
inline LADDER_UNSEEN uint4 advanced(uint4 counter, unsigned long long blocks) {
    const unsigned long long low = counter.x | static_cast<unsigned long long>(counter.y) << 32, sum = low + blocks;
    const unsigned long long high = (counter.z | static_cast<unsigned long long>(counter.w) << 32) + (sum < low);
    return {static_cast<unsigned>(sum), static_cast<unsigned>(sum >> 32), static_cast<unsigned>(high), static_cast<unsigned>(high >> 32)};
}

}  // namespace ladder

// ---- XORWOW ----

LADDER_INLINE void skipahead(unsigned long long n, curandStateXORWOW* state) {
    ladder::XorwowWords words;
    for (int i = 0; i < 5; ++i) words.v[i] = state->v[i];
    words = ladder::skipped(words, 0, n);
    for (int i = 0; i < 5; ++i) state->v[i] = words.v[i];
    state->d += static_cast<unsigned>(n) * 362437u;
}
LADDER_INLINE void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
    ladder::XorwowWords words;
    for (int i = 0; i < 5; ++i) words.v[i] = state->v[i];
    words = ladder::skipped(words, n, 0);
    for (int i = 0; i < 5; ++i) state->v[i] = words.v[i];
}
LADDER_INLINE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW* state) {
    ladder_random_sequence(seed, subsequence, offset);
    const unsigned low = static_cast<unsigned>(seed) ^ 0xaad26b49u, high = static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu;
    const unsigned a = 1099087573u * low, b = 2591861531u * high;
    ladder::XorwowWords words = {{123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a}};
    words = ladder::skipped(words, subsequence, offset);
    for (int i = 0; i < 5; ++i) state->v[i] = words.v[i];
    state->d = 6615241u + b + a + static_cast<unsigned>(offset) * 362437u;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}
LADDER_INLINE unsigned curand(curandStateXORWOW* state) {
    const unsigned t = state->v[0] ^ state->v[0] >> 2;
    state->v[0] = state->v[1];
    state->v[1] = state->v[2];
    state->v[2] = state->v[3];
    state->v[3] = state->v[4];
    state->v[4] = state->v[4] ^ state->v[4] << 4 ^ t ^ t << 1;
    state->d += 362437;
    return state->v[4] + state->d;
}

// ---- Philox ----

LADDER_INLINE void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
    state->STATE += static_cast<unsigned>(n & 3);
    n /= 4;
    if (state->STATE > 3) ++n, state->STATE -= 4;
    state->ctr = ladder::advanced(state->ctr, n);
    state->output = ladder::philox(state->ctr, state->key);
}
LADDER_INLINE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
    const uint4 c = state->ctr, high = ladder::advanced({c.z, c.w, 0, 0}, n);
    state->ctr = {c.x, c.y, high.x, high.y};
    state->output = ladder::philox(state->ctr, state->key);
}
LADDER_INLINE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10* state) {
    ladder_random_sequence(seed, subsequence, offset);
    state->ctr = {0, 0, 0, 0};
    state->key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
LADDER_INLINE uint4 curand4(curandStatePhilox4_32_10* state) {
    const uint4 now = state->output;
    state->ctr = ladder::advanced(state->ctr, 1);
    const uint4 next = state->output = ladder::philox(state->ctr, state->key);
    switch (state->STATE) {
        case 0: return now;
        case 1: return {now.y, now.z, now.w, next.x};
        case 2: return {now.z, now.w, next.x, next.y};
        default: return {now.w, next.x, next.y, next.z};
    }
}
LADDER_INLINE unsigned curand(curandStatePhilox4_32_10* state) {
    const unsigned at = state->STATE++;
    const uint4 four = state->output;
    if (at == 3) {
        state->ctr = ladder::advanced(state->ctr, 1);
        state->output = ladder::philox(state->ctr, state->key);
        state->STATE = 0;
    }
    return at == 0 ? four.x : at == 1 ? four.y : at == 2 ? four.z : four.w;
}
