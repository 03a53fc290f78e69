// Numbers of Poisson's distribution. Below 64 by Knuth's product of uniform numbers ("Seminumerical Algorithms", 3.4.1), as
// cuRAND does, and above 4,000 from a normal one, likewise; in between by the inverse of the distribution, where cuRAND
// rejects and tries again: as likely, and not the same.
#pragma once

#include "random_mrg.h"

namespace ladder {

// How many events there are where the sum of their chances first reaches u. In pieces, for e^-lambda may be no number.
inline LADDER_UNSEEN unsigned poisson_inverse(double u, double lambda) {
    constexpr double piece = 500;
    double chance = 1, sum = 1, done = 0;
    unsigned events = 0;
    do {
        const double shrink = __builtin_exp(-(lambda - done < piece ? lambda - done : piece));
        chance *= shrink, sum *= shrink, done += piece;
        while (u > sum && chance > 0) sum += chance *= lambda / ++events;
    } while (done < lambda);
    return events;
}
inline LADDER_UNSEEN unsigned poisson_rounded(double normal, double lambda) {
    const double count = __builtin_sqrt(lambda) * normal + lambda + 0.5;
    return count > 0 ? static_cast<unsigned>(count) : 0;
}

template <class State> LADDER_INLINE unsigned poisson(State* state, double lambda) {
    if (lambda > 4000) return poisson_rounded(curand_normal_double(state), lambda);
    if (lambda >= 64) return poisson_inverse(uniform(curand(state)), lambda);
    unsigned events = 0;
    for (float product = __builtin_expf(static_cast<float>(lambda)); (product *= curand_uniform(state)) > 1; ++events) {}
    return events;
}

}  // namespace ladder
