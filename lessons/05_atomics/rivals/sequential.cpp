// The same functions on one core of the CPU: loops, one element after the other.

#include <algorithm>

extern "C" void sum(const float* x, float* out, int n) {
    float total = 0;
    for (int i = 0; i < n; ++i) {
        total += x[i];
    }
    *out = total;
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n) {
    std::fill_n(counts, 256, 0);
    for (int i = 0; i < n; ++i) {
        ++counts[x[i]];
    }
}
