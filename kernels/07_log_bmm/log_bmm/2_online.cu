// Rung 2 of 9: one pass. It is slower than rung 1, and here for its idea.
//
// The online sum of lesson 06: when a larger term comes, what was summed so far is multiplied by exp(old - new). Half
// the reads of rung 1, and one exponential more for each new maximum, of which random terms have few: about log(m). It
// starts from -FLT_MAX instead of -inf. Any finite number will do for what is subtracted, and none gives a NaN.
//
// On an H200, batch=8 n=512 m=512 p=512: 1_two_passes 978 us, 2_online 1.13 ms.
// Slower than rung 1: the reads that were saved came from the caches; a comparison, a branch and some more exponentials
// were added. Rungs 3 and 4 do the same tile by tile, where it pays; rung 7 does it for whole rows.

#include <cfloat>
#include <cmath>
#include <cstdint>

constexpr int kThreads = 256;

__global__ void log_of_sums(const float* a, const float* b, float* out, std::int64_t outputs, int n, int m, int p) {
    std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= outputs) return;
    std::int64_t row = thread / p, member = row / n;
    const float* of_a = a + row * m;
    const float* of_b = b + member * m * p + thread % p;
    float top = -FLT_MAX, sum = 0.0f;
    for (int k = 0; k < m; ++k) {
        float term = of_a[k] + of_b[static_cast<std::int64_t>(k) * p];
        if (term > top) {
            float higher = fminf(term, FLT_MAX);
            sum *= expf(top - higher);
            top = higher;
        }
        sum += expf(term - top);
    }
    out[thread] = top + logf(sum);
}

unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads - 1) / kThreads + 1); }

extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p,
                        cudaStream_t stream) {
    std::int64_t outputs = static_cast<std::int64_t>(batch) * n * p;
    log_of_sums<<<blocks_for(outputs), kThreads, 0, stream>>>(a, b, out, outputs, n, m, p);
}
