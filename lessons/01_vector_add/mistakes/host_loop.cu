// The host function adds: x, y and z are pointers into the GPU's memory, which the host cannot reach.
// Expect: host_access

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (int i = 0; i < n; ++i) {
        z[i] = x[i] + y[i];
    }
}
