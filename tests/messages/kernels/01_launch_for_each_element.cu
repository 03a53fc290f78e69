// A launch for each element: slow, and not endless.
// Says: host code launches add again and again in line
// Says: each with 1 block of 1 thread
// Says: launch it once, without the loop

__global__ void add(const float* x, const float* y, float* z, int i) {
    z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (int i = 0; i < n; ++i) {
        add<<<1, 1, 0, stream>>>(x, y, z, i);
    }
}
