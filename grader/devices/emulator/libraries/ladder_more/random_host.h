// cuRAND's generators for host code. Each has many subsequences, and number n comes from one of them: of XORWOW from n % 4096
// of them, of MRG32k3a from n % 81920, one number each, or the two of a normal pair; of Philox from n / 4 % 65536, four in a row. Behind the
// types of curand.h.
#pragma once

#include <type_traits>
#include <vector>

#include "../curand_kernel.h"
#include "../ladder_program.h"
#include "random_directions.h"
#include "refused.h"

namespace ladder {

enum class Numbers { xorwow, mrg, philox, sobol };

// The direction numbers of all dimensions; zeros where they are not here.
template <class Word> LADDER_UNSEEN auto* directions() {
    constexpr int bits = 8 * sizeof(Word);
    using Vectors = Word[bits];
    static Vectors* const all = [] LADDER_UNSEEN {
        auto* const made = new Vectors[most_sobol_dimensions]();
        for (int bit = 0; bit < bits; ++bit) made[0][bit] = Word{1} << (bits - 1 - bit);
        const unsigned short* next = joe_kuo;
        for (int dimension = 1; dimension < sobol_dimensions; ++dimension) {
            const int degree = *next++, inner = *next++;
            Word* const v = made[dimension];
            for (int bit = 0; bit < bits; ++bit) {
                if (bit < degree) {
                    v[bit] = Word{*next++} << (bits - 1 - bit);
                    continue;
                }
                v[bit] = v[bit - degree] ^ v[bit - degree] >> degree;
                for (int back = 1; back < degree; ++back)
                    if (inner >> (degree - 1 - back) & 1) v[bit] ^= v[bit - back];
            }
        }
        return made;
    }();
    return all;
}

struct Generator {
    bool on_host;
    Numbers numbers;
    unsigned long long seed = 0, place = 0, first = 0;   // first: what its offset leaves out
    cudaStream_t stream = nullptr;
    std::vector<curandStateXORWOW> xorwow;
    std::vector<curandStateMRG32k3a> mrg;
    std::vector<curandStatePhilox4_32_10> philox;
    unsigned dimensions = 1;   // of Sobol's numbers

    LADDER_UNSEEN void begin(unsigned long long its_seed, unsigned long long offset) {
        seed = its_seed;
        place = first = offset;
        xorwow.clear(), mrg.clear(), philox.clear();
    }
    // The state of the subsequence that gives the next number.
    template <class State> LADDER_UNSEEN State& next(std::vector<State>& states, unsigned long long subsequences, unsigned long long in_a_row) {
        const unsigned long long which = place++ / in_a_row % subsequences;
        while (states.size() <= which) {
            const unsigned long long it = states.size(), rest = first % (subsequences * in_a_row), begun = rest / in_a_row;
            const unsigned long long of_this_round = it < begun ? in_a_row : it == begun ? rest % in_a_row : 0;
            states.push_back({});
            curand_init(seed, it, first / (subsequences * in_a_row) * in_a_row + of_this_round, &states.back());
        }
        return states[which];
    }
};

template <class State> LADDER_UNSEEN double uniform_double(State& state) {
    if constexpr (std::is_same_v<State, curandStateMRG32k3a> || std::is_same_v<State, curandStateSobol32>) return curand_uniform_double(&state);
    const unsigned x = curand(&state), y = curand(&state);
    return uniform_double(x, y);
}
template <class State> LADDER_UNSEEN unsigned poisson_of_one(State& state, double lambda) {
    return lambda > 4000 ? poisson_rounded(curand_normal_double(&state), lambda) : poisson_inverse(uniform(curand(&state)), lambda);
}

// Sobol's numbers: all of one dimension, then all of the next.
template <class T, class Draw> LADDER_UNSEEN void draw_by_dimension(Generator* g, std::vector<T>& values, Draw draw) {
    const std::size_t each = values.size() / g->dimensions;
    for (unsigned dimension = 0; dimension < g->dimensions; ++dimension) {
        curandStateSobol32 state;
        curand_init(directions<unsigned>()[dimension], static_cast<unsigned>(g->place), &state);
        for (std::size_t i = 0; i < each; ++i) values[dimension * each + i] = draw(state);
    }
    g->place += each;
}

// Fills what `to` points at, on the device or the host, with numbers from `draw`, of which a subsequence gives so many in a row.
template <class T, class Draw>
LADDER_UNSEEN curandStatus_t fill(Generator* g, T* to, std::size_t count, int line, Draw draw, unsigned long long in_a_row = 1) {
    std::vector<T> values(count);
    if (g->numbers == Numbers::sobol) {
        if (count % g->dimensions) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
        draw_by_dimension(g, values, draw);
    } else for (T& value : values) {
        switch (g->numbers) {
            case Numbers::xorwow: value = draw(g->next(g->xorwow, 4096, in_a_row)); break;
            case Numbers::mrg: value = draw(g->next(g->mrg, 81920, in_a_row)); break;
            case Numbers::philox: value = draw(g->next(g->philox, 65536, 4)); break;
            case Numbers::sobol: break;
        }
    }
    if (g->on_host) return memcpy(to, values.data(), count * sizeof(T)), CURAND_STATUS_SUCCESS;
    ladder_stream_work(g->stream, line);
    return copy(to, values.data(), count * sizeof(T), cudaMemcpyHostToDevice, line) ? CURAND_STATUS_LAUNCH_FAILURE : CURAND_STATUS_SUCCESS;
}

}  // namespace ladder
