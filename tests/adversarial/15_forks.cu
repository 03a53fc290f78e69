// Becomes sixty-four processes, each of which goes on as if it were the one that counts.
// Emulator: not_written
// Says: was never written
// GPU: build_error

#include <unistd.h>

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    if (n == 1)
        for (int generation = 0; generation < 6; ++generation) fork();
}
