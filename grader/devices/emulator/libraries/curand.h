// cuRAND's host functions, with XORWOW in cuRAND's documented order (number n is number n / 4096 of subsequence n % 4096)
// whatever generator is asked for; normal numbers come in pairs from the same.
#pragma once

#define CURAND_H_

#include <memory>
#include <vector>

#include "curand_kernel.h"
#include "ladder_program.h"

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
};
using curandRngType = curandRngType_t;
enum curandOrdering_t { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101, CURAND_ORDERING_PSEUDO_SEEDED = 102,
                        CURAND_ORDERING_PSEUDO_LEGACY = 103 };

namespace ladder {

struct Generator {
    bool on_host;
    unsigned long long seed = 0, place = 0;
    cudaStream_t stream = nullptr;
    std::vector<curandStateXORWOW> subsequences;

    LADDER_UNSEEN curandStateXORWOW& next() {
        if (subsequences.empty()) {
            subsequences.resize(4096);
            for (unsigned i = 0; i < 4096; ++i) curand_init(seed, i, 0, &subsequences[i]);
        }
        return subsequences[place++ % 4096];
    }
};

// Fills what `to` points at, on the device or the host, with numbers from `draw`.
template <class T, class Draw> LADDER_UNSEEN curandStatus_t fill(Generator* generator, T* to, std::size_t count, int line, Draw draw) {
    std::vector<T> values(count);
    for (T& value : values) value = draw(generator->next());
    if (generator->on_host) return memcpy(to, values.data(), count * sizeof(T)), CURAND_STATUS_SUCCESS;
    ladder_stream_work(generator->stream, line);
    return copy(to, values.data(), count * sizeof(T), cudaMemcpyHostToDevice, line) ? CURAND_STATUS_LAUNCH_FAILURE : CURAND_STATUS_SUCCESS;
}

}  // namespace ladder

using curandGenerator_t = ladder::Generator*;

inline LADDER_UNSEEN curandStatus_t ladder_generator(curandGenerator_t* made, curandRngType_t type, bool on_host, int line) {
    if (type >= CURAND_RNG_QUASI_DEFAULT) ladder_trap("cuRAND's quasi-random generators are not emulated", line);
    *made = new ladder::Generator{on_host};
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
    *generator = ladder::Generator{generator->on_host, seed, 0, generator->stream, {}};
    return CURAND_STATUS_SUCCESS;
}
inline LADDER_UNSEEN curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) { return CURAND_STATUS_SUCCESS; }
inline LADDER_UNSEEN curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    *generator = ladder::Generator{generator->on_host, generator->seed, 0, generator->stream, {}};
    for (; offset; --offset) curand(&generator->next());
    return CURAND_STATUS_SUCCESS;
}
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
    return ladder::fill(g, to, count, line, [](auto& state) LADDER_UNSEEN { return curand_uniform_double(&state); });
}
inline LADDER_UNSEEN curandStatus_t curandGenerateNormal(curandGenerator_t g, float* to, std::size_t count, float mean, float deviation, LADDER_LINE) {
    if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return ladder::fill(g, to, count, line, [=](auto& state) LADDER_UNSEEN { return mean + deviation * curand_normal(&state); });
}
inline LADDER_UNSEEN curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* to, std::size_t count, double mean, double deviation,
                                                               LADDER_LINE) {
    if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return ladder::fill(g, to, count, line, [=](auto& state) LADDER_UNSEEN { return mean + deviation * curand_normal_double(&state); });
}
inline LADDER_UNSEEN curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* to, std::size_t count, float mean, float deviation,
                                                            LADDER_LINE) {
    if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return ladder::fill(g, to, count, line, [=](auto& state) LADDER_UNSEEN { return curand_log_normal(&state, mean, deviation); });
}
#define curandGeneratePoisson(...) LADDER_NO_LIBRARY(curandStatus_t, "curandGeneratePoisson")
