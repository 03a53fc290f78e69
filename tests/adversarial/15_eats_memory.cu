// Host code asks for memory until there is no more.
// Emulator: crash
// Says: bad_alloc
// GPU: crash

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (;;) {
        volatile char* piece = new char[1 << 30];
        piece[n] = 1;
    }
}
