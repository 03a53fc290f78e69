// Prints ten megabytes at every call, and does nothing else.
// Emulator: not_written
// Says: was never written
// GPU: not_written

#include <cstdio>

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (int line = 0; line < 100000; ++line) printf("%099d\n", line);
}
