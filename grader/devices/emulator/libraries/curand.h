// cuRAND's host functions (ladder_more/random_host.h): XORWOW, MRG32k3a, Philox4_32_10 and Sobol32 with cuRAND's own numbers.
// MTGP32 and MT19937 give those of XORWOW.
#pragma once

#define CURAND_H_

#include "curand_kernel.h"

enum curandStatus_t {
    CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED = 101, CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103, CURAND_STATUS_OUT_OF_RANGE = 104, CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106, CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203, CURAND_STATUS_ARCH_MISMATCH = 204, CURAND_STATUS_INTERNAL_ERROR = 999,
};
using curandStatus = curandStatus_t;
enum curandRngType_t {
    CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW = 101, CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32 = 201,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202, CURAND_RNG_QUASI_SOBOL64 = 203, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204,
};
using curandRngType = curandRngType_t;
enum curandDirectionVectorSet_t {
    CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
    CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104,
};
enum curandOrdering_t { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101, CURAND_ORDERING_PSEUDO_SEEDED = 102,
                        CURAND_ORDERING_PSEUDO_LEGACY = 103, CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
                        CURAND_ORDERING_QUASI_DEFAULT = 201 };
using curandOrdering = curandOrdering_t;
inline LADDER_UNSEEN curandStatus_t curandGetVersion(int* version) {
    *version = 10400;
    return CURAND_STATUS_SUCCESS;
}

#include "ladder_more/random_host.h"

using curandGenerator_t = ladder::Generator*;

#define LADDER_QUASI "of cuRAND's quasi-random generators SOBOL32 is emulated (in kernels SOBOL64, too), in 400 dimensions: check this program on a GPU"

inline LADDER_UNSEEN curandStatus_t ladder_generator(curandGenerator_t* made, curandRngType_t type, bool on_host, int line) {
    if (type > CURAND_RNG_QUASI_SOBOL32) ladder_trap(LADDER_QUASI, line);
    const bool mrg = type == CURAND_RNG_PSEUDO_MRG32K3A, philox = type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
    const ladder::Numbers others = type >= CURAND_RNG_QUASI_DEFAULT ? ladder::Numbers::sobol : ladder::Numbers::xorwow;
    *made = new ladder::Generator{on_host, mrg ? ladder::Numbers::mrg : philox ? ladder::Numbers::philox : others};
    return CURAND_STATUS_SUCCESS;
}
inline LADDER_UNSEEN curandStatus_t curandCreateGenerator(curandGenerator_t* made, curandRngType_t type, LADDER_LINE) {
    return ladder_generator(made, type, false, line);
}
inline LADDER_UNSEEN curandStatus_t curandCreateGeneratorHost(curandGenerator_t* made, curandRngType_t type, LADDER_LINE) {
    return ladder_generator(made, type, true, line);
}
inline LADDER_UNSEEN curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
inline LADDER_UNSEEN curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
    if (generator->numbers == ladder::Numbers::sobol) return CURAND_STATUS_TYPE_ERROR;
    generator->begin(seed, 0);
    return CURAND_STATUS_SUCCESS;
}
inline LADDER_UNSEEN curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) { return CURAND_STATUS_SUCCESS; }
inline LADDER_UNSEEN curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    generator->begin(generator->seed, offset);
    return CURAND_STATUS_SUCCESS;
}
inline LADDER_UNSEEN curandStatus_t curandGenerateSeeds(curandGenerator_t) { return CURAND_STATUS_SUCCESS; }
inline LADDER_UNSEEN curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
inline LADDER_UNSEEN curandStatus_t curandGenerate(curandGenerator_t g, unsigned* to, std::size_t count, LADDER_LINE) {
    return ladder::fill(g, to, count, line, [](auto& state) LADDER_UNSEEN { return curand(&state); });
}
inline LADDER_UNSEEN curandStatus_t curandGenerateUniform(curandGenerator_t g, float* to, std::size_t count, LADDER_LINE) {
    return ladder::fill(g, to, count, line, [](auto& state) LADDER_UNSEEN { return curand_uniform(&state); });
}
inline LADDER_UNSEEN curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* to, std::size_t count, LADDER_LINE) {
    return ladder::fill(g, to, count, line, [](auto& state) LADDER_UNSEEN { return ladder::uniform_double(state); });
}
inline LADDER_UNSEEN curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned* to, std::size_t count, double lambda, LADDER_LINE) {
    if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
    return ladder::fill(g, to, count, line, [=](auto& state) LADDER_UNSEEN { return ladder::poisson_of_one(state, lambda); });
}
// Normal numbers come in pairs.
#define LADDER_GENERATE(name, T, normal, made)                                                                                                      \
    inline LADDER_UNSEEN curandStatus_t name(curandGenerator_t g, T* to, std::size_t count, T mean, T deviation, LADDER_LINE) {                     \
        if (count % 2 && g->numbers != ladder::Numbers::sobol) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                                                  \
        return ladder::fill(g, to, count, line, [=](auto& state) LADDER_UNSEEN { const T n = mean + deviation * normal(&state); return made; }, 2); \
    }
LADDER_GENERATE(curandGenerateNormal, float, curand_normal, n)
LADDER_GENERATE(curandGenerateNormalDouble, double, curand_normal_double, n)
LADDER_GENERATE(curandGenerateLogNormal, float, curand_normal, __builtin_expf(n))
LADDER_GENERATE(curandGenerateLogNormalDouble, double, curand_normal_double, __builtin_exp(n))
#undef LADDER_GENERATE
inline LADDER_UNSEEN curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions, LADDER_LINE) {
    if (g->numbers != ladder::Numbers::sobol) return CURAND_STATUS_TYPE_ERROR;
    if (dimensions < 1 || dimensions > ladder::most_sobol_dimensions) return CURAND_STATUS_OUT_OF_RANGE;
    if (dimensions > ladder::sobol_dimensions) ladder_trap(LADDER_QUASI, line);
    g->dimensions = dimensions;
    return CURAND_STATUS_SUCCESS;
}
inline LADDER_UNSEEN curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t** vectors, curandDirectionVectorSet_t set, LADDER_LINE) {
    if (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6) ladder_trap(LADDER_QUASI, line);
    *vectors = ladder::directions<unsigned>();
    return CURAND_STATUS_SUCCESS;
}
#define curandGetScrambleConstants32(...) ladder_refused<curandStatus_t>(LADDER_QUASI)
inline LADDER_UNSEEN curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t** vectors, curandDirectionVectorSet_t set, LADDER_LINE) {
    if (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6) ladder_trap(LADDER_QUASI, line);
    *vectors = ladder::directions<unsigned long long>();
    return CURAND_STATUS_SUCCESS;
}
#define curandGetScrambleConstants64(...) ladder_refused<curandStatus_t>(LADDER_QUASI)
