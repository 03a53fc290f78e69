// A constructor that never returns: the library is never loaded.
// Emulator: timeout
// Says: took more than
// GPU: not applicable: it stands still as soon as it is built, as on the emulator
// Slow: a build has its time

#include <unistd.h>

__attribute__((constructor)) static void wait_for_ever() {
    for (;;) pause();
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {}
