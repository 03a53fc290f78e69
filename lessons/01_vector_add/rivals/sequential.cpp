// The same function on one core of the CPU: a loop, one element after the other.

extern "C" void vector_add(const float* x, const float* y, float* z, int n) {
    for (int i = 0; i < n; ++i) {
        z[i] = x[i] + y[i];
    }
}
