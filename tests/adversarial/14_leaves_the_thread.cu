// Ends the thread that called it, and with that the worker's Python, instead of returning.
// Emulator: crash
// Says: the process ended by itself
// GPU: crash

#include <pthread.h>

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    pthread_exit(nullptr);
}
