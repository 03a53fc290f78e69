// The same loops on all cores of the CPU. `reduction` gives each thread a copy of its own, and adds up the copies at
// the end: what a GPU's block does with its shared memory.

#include <algorithm>

extern "C" void sum(const float* x, float* out, int n) {
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < n; ++i) {
        total += x[i];
    }
    *out = total;
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n) {
    std::fill_n(counts, 256, 0);
#pragma omp parallel for reduction(+ : counts[ : 256])
    for (int i = 0; i < n; ++i) {
        ++counts[x[i]];
    }
}
