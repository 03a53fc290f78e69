// The host function adds, straight through the pointers that it was given.
// Emulator: host_access
// Says: host code reads x[0]
// GPU: crash

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (int i = 0; i < n; ++i) z[i] = x[i] + y[i];
}
